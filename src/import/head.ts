/** The beginning of an input, which tells what it is before the rest is read. */

/**
 * At least so many bytes, or what ends with the first piece that is enough; `isAll` where nothing
 * stands behind them.
 */
export const headOf = async (
  bytes: AsyncIterator<Buffer>,
  length: number,
  isEnough: (piece: Buffer, first: Buffer) => boolean = () => false,
): Promise<{ head: Buffer; isAll: boolean }> => {
  const pieces: Buffer[] = [];
  for (let left = length; left > 0; ) {
    const { done, value } = await bytes.next();
    if (done) return { head: Buffer.concat(pieces), isAll: true };
    pieces.push(value);
    left -= value.length;
    if (isEnough(value, pieces[0]!)) break;
  }
  return { head: Buffer.concat(pieces), isAll: false };
};

/** An input of which the beginning was read. */
export async function* withHead(head: Buffer, rest?: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  if (rest !== undefined) yield* rest;
}
