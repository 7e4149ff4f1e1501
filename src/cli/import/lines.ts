/** Lines of bounded length, from a file or stdin, compressed or not. */
import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandError, type Context } from '../command.ts';

export interface Source {
  /** Throws CommandError when it cannot be read. */
  lines: AsyncIterable<string[]>;
  /** How much was read, 0 to 1; null when the length is unknown. */
  part(): number | null;
}

/** Opens a file, or stdin for `-`. Reading ends when the process is asked to stop. */
export const openSource = (context: Context, file: string): Source => {
  if (file === '-') return { lines: readable('stdin', context, context.stdin), part: () => null };
  const size = sizeOf(file);
  const stream = createReadStream(file, { highWaterMark: 256 * 1024 });
  return { lines: readable(file, context, stream), part: () => (size === 0 ? null : stream.bytesRead / size) };
};

const sizeOf = (file: string): number => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError(`There is no file ${file}.`);
  if (stats.isDirectory()) throw new CommandError(`${file} is a directory: name a file, or - for stdin.`);
  return stats.isFile() ? stats.size : 0;
};

async function* readable(name: string, { signal }: Context, stream: Readable): AsyncGenerator<string[]> {
  try {
    yield* linesOf(decompressed(addAbortSignal(signal, stream)));
  } catch (error) {
    if (signal.aborted) throw new CommandError('Interrupted.');
    throw new CommandError(`${name} cannot be read: ${(error as Error).message}.`);
  }
}

/**
 * Fits a hit of 32 KiB with every byte escaped as `\u00xx`, and the rest of its line. Longer lines
 * are cut, which makes them malformed.
 */
export const lineBytesMax = 256 * 1024;

/** The bytes themselves, or what they decompress to when they begin as gzip does. */
export async function* decompressed(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const all = (async function* () {
    yield head;
    yield* { [Symbol.asyncIterator]: () => chunks };
  })();
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* all;
    return;
  }
  // Errors of either end reach the loop that reads the other.
  yield* pipeline(Readable.from(all), createGunzip({ chunkSize: 65_536 }), () => {});
}

/**
 * Lines without their ends (`\n` or `\r\n`), as many at a time as a chunk holds. Bytes that are no
 * UTF-8 become U+FFFD.
 */
export async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  const keep = (part: Buffer): void => {
    const room = part.subarray(0, lineBytesMax - restBytes);
    if (room.length === 0) return;
    rest.push(room);
    restBytes += room.length;
  };
  for await (const chunk of bytes) {
    const first = chunk.indexOf(newline);
    if (first === -1) {
      keep(chunk);
      continue;
    }
    keep(chunk.subarray(0, first));
    const last = chunk.lastIndexOf(newline);
    const whole = first === last ? [] : split(chunk.subarray(first + 1, last));
    yield [...split(Buffer.concat(rest)), ...whole];
    rest = [];
    restBytes = 0;
    keep(chunk.subarray(last + 1));
  }
  if (restBytes > 0) yield split(Buffer.concat(rest));
}

const newline = 0x0a;

const split = (bytes: Buffer): string[] =>
  bytes
    .toString()
    .split('\n')
    .map(line => (line.endsWith('\r') ? line.slice(0, -1) : line));
