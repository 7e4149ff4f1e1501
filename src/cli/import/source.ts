/** Where the lines of an import come from. */
import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { CommandError, type Context } from '../command.ts';
import { decompressed, linesOf } from './lines.ts';

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
