/** Writes what a command makes piece by piece, as fast as whoever reads it. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { CommandError, type Context } from './command.ts';
import { unlessAsked } from './long-work.ts';

/** Written together: a visit is some hundred bytes. */
const pieceChars = 256 * 1024;

/** Writes pieces together, and waits while the reader is behind. */
export const pieceWriter = (context: Context, stream: Writable, meaning: string) => {
  let pending: (string | Buffer)[] = [];
  let size = 0;
  let failed: Error | undefined;
  stream.on?.('error', error => {
    failed = error;
  });
  return async (piece: string | Buffer, isLast = false): Promise<void> => {
    if (piece.length > 0) pending.push(piece);
    size += piece.length;
    if (size < pieceChars && !isLast) return;
    const pieces = pending;
    [pending, size] = [[], 0];
    const bytes = pieces.some(part => typeof part !== 'string')
      ? Buffer.concat(pieces.map(part => Buffer.from(part as string)))
      : pieces.join('');
    if (bytes.length > 0 && stream.write(bytes) === false)
      await unlessAsked(context, once(stream, 'drain').catch(cannotWrite), meaning);
    if (failed !== undefined) cannotWrite(failed);
  };
};

export const cannotWrite = (error: Error): never => {
  throw new CommandError(`The file cannot be written: ${error.message}.`);
};
