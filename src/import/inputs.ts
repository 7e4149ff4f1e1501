/** What is to be imported: files and stdin, packed or not. */
import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ImportProblem, problemAt } from './problem.ts';
import { zipEntries } from './zip.ts';

/** One table or log. */
export interface Input {
  name: string;
  /** Its content, unpacked; of stdin only once. Throws ImportProblem where it cannot be read. */
  bytes(): AsyncIterable<Buffer>;
}

export interface Inputs {
  /** The name of what is imported. */
  source: string;
  all: Input[];
  /** SHA-256 of what is read: known at once of files, and of stdin when it is read. */
  digest(): Buffer;
  isKnown: boolean;
  /** How much is read, 0 to 1; null where nobody knows. */
  part(): number | null;
  close(): void;
}

export interface InputOptions {
  /** Paths, or `-` for stdin. */
  files: readonly string[];
  stdin: Readable;
  /** Where a zip from stdin waits. */
  dataDir: string;
  signal: AbortSignal;
  /** Names of the files, for people; by default their own. */
  names?: readonly string[];
}

const readAtOnce = 1024 * 1024;

/**
 * So much must come out of packed bytes before one looks how many times as much it is. Tables of
 * hits are packed to a tenth, the most monotonous logs to a hundredth.
 */
const bombBytesMin = 64 * 1024 * 1024;
const bombRatio = 300;

/** Throws ImportProblem. */
export const openInputs = async (options: InputOptions): Promise<Inputs> => {
  const { files, stdin, dataDir, signal, names } = options;
  const read = { bytes: 0, of: 0 };
  const hash = createHash('sha256');
  let dir: string | undefined;
  const all: Input[] = [];
  const nameOf = (i: number): string => names?.[i] ?? (files[i] === '-' ? 'stdin' : files[i]!);
  let fromStdin = false;
  for (const [i, file] of files.entries()) {
    let path = file;
    let first: Buffer | undefined;
    let rest: AsyncIterable<Buffer> | undefined;
    if (file === '-') {
      const chunks = stdin[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      first = await headOf(chunks, signal);
      rest = { [Symbol.asyncIterator]: () => chunks };
      if (isZip(first)) {
        dir = mkdtempSync(join(dataDir, 'scratch-'));
        path = join(dir, 'stdin.zip');
        await store(joined(first, rest), path, signal);
      }
    }
    if (path === '-') {
      fromStdin = true;
      all.push({
        name: nameOf(i),
        bytes: () => guarded(nameOf(i), unpacked(hashed(joined(first!, rest!), hash), nameOf(i)), signal),
      });
      continue;
    }
    read.of += sizeOf(path);
    hashFile(path, hash);
    all.push(...(await inputsOf(path, nameOf(i), read, signal)));
  }
  let digest: Buffer | undefined;
  return {
    source: files.map((_, i) => basename(nameOf(i))).join(', '),
    all,
    isKnown: !fromStdin,
    digest() {
      digest ??= hash.digest();
      return digest;
    },
    part: () => (fromStdin || read.of === 0 ? null : Math.min(1, read.bytes / read.of)),
    close() {
      if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
};

const isZip = (head: Buffer): boolean => head.length >= 4 && head.readUInt32LE(0) === 0x04034b50;
const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

const sizeOf = (file: string): number => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new ImportProblem(`There is no file ${file}.`);
  if (stats.isDirectory()) throw new ImportProblem(`${file} is a directory: name a file, or - for stdin.`);
  return stats.isFile() ? stats.size : 0;
};

const hashFile = (path: string, hash: Hash): void => {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(readAtOnce);
    for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes)) hash.update(bytes.subarray(0, read));
  } finally {
    closeSync(file);
  }
};

const inputsOf = async (path: string, name: string, read: { bytes: number }, signal: AbortSignal): Promise<Input[]> => {
  const head = Buffer.alloc(4);
  const file = openSync(path, 'r');
  readSync(file, head);
  closeSync(file);
  if (isZip(head)) {
    const entries = await zipEntries(path, name);
    return entries.map(entry => {
      const label = `${name} (${entry.name})`;
      const content = async function* (): AsyncGenerator<Buffer> {
        yield* bounded(unpacked(await entry.open(), label), () => entry.packedBytes, label);
        read.bytes += entry.packedBytes;
      };
      return { name: label, bytes: () => guarded(label, content(), signal) };
    });
  }
  const bytes = (): AsyncIterable<Buffer> => {
    const stream = addAbortSignal(signal, createReadStream(path, { highWaterMark: readAtOnce }));
    stream.on('data', chunk => (read.bytes += chunk.length));
    stream.pause();
    return guarded(name, unpacked(stream, name), signal);
  };
  return [{ name, bytes }];
};

/** What is read, and the errors of reading as sentences. */
async function* guarded(name: string, bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    const chunks = bytes[Symbol.asyncIterator]();
    // Who waits for more of a stream hears the signal, too.
    for (let next = await abortable(chunks.next(), signal); !next.done; next = await abortable(chunks.next(), signal))
      yield next.value;
  } catch (error) {
    if (signal.aborted) throw new ImportProblem('Interrupted.');
    if (error instanceof ImportProblem) throw error;
    throw new ImportProblem(`${name} cannot be read: ${(error as Error).message}.`);
  }
}

async function* joined(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* rest;
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/** At least the first four bytes, where there are as many. */
const headOf = async (chunks: AsyncIterator<Buffer>, signal: AbortSignal): Promise<Buffer> => {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 4) {
    const next = await abortable(chunks.next(), signal);
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
};

const abortable = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(new ImportProblem('Interrupted.'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });

const store = (bytes: AsyncIterable<Buffer>, path: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const done = (error?: Error | null): void => {
      if (error == null) resolve();
      else reject(new ImportProblem(signal.aborted ? 'Interrupted.' : `stdin cannot be read: ${error.message}.`));
    };
    pipeline(addAbortSignal(signal, Readable.from(bytes)), createWriteStream(path, { mode: 0o600 }), done);
  });

/** The bytes themselves, or what they decompress to when they begin as gzip does. */
export async function* unpacked(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const chunks = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const all = joined(head, { [Symbol.asyncIterator]: () => chunks });
  if (!isGzip(head)) {
    yield* all;
    return;
  }
  let packed = 0;
  const counted = (async function* () {
    for await (const chunk of all) {
      packed += chunk.length;
      yield chunk;
    }
  })();
  // Errors of either end reach the loop that reads the other.
  const gunzip = pipeline(Readable.from(counted), createGunzip({ chunkSize: 256 * 1024 }), () => {});
  yield* bounded(gunzip, () => packed, name);
}

/** Refuses what grows beyond all measure when it is unpacked. */
async function* bounded(bytes: AsyncIterable<Buffer>, packedBytes: () => number, name: string): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > bombBytesMin && length > bombRatio * packedBytes())
      throw problemAt({ file: name }, `it unpacks to more than ${bombRatio} times its size, which no export does`);
    yield chunk;
  }
}
