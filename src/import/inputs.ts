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
import { createGunzip, createInflateRaw, type Gunzip, type InflateRaw } from 'node:zlib';
import { headOf, withHead } from './head.ts';
import { ImportProblem, problemAt } from './problem.ts';
import { zipEntries } from './zip.ts';

/** One table or log. */
export interface Input {
  name: string;
  /** It can be read only once, as stdin. */
  isOnce: boolean;
  /**
   * Its content, unpacked. Who stops before its end closes what is open. A look at
   * its beginning does not count as read. Throws ImportProblem where it cannot be read.
   */
  bytes(look?: 'look'): AsyncGenerator<Buffer>;
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
const unpackedAtOnce = 256 * 1024;

/** What is read of the files, in bytes on the disk, and how many there are. */
interface Read {
  bytes: number;
  of: number;
}

/** Throws ImportProblem. */
export const openInputs = async (options: InputOptions): Promise<Inputs> => {
  const { files, stdin, dataDir, signal, names } = options;
  const read: Read = { bytes: 0, of: 0 };
  const growth = growthOf(read);
  const hash = createHash('sha256');
  let dir: string | undefined;
  const all: Input[] = [];
  const nameOf = (i: number): string => names?.[i] ?? (files[i] === '-' ? 'stdin' : files[i]!);
  let fromStdin = false;
  for (const [i, file] of files.entries()) {
    let path = file;
    if (file === '-') {
      const chunks: AsyncIterableIterator<Buffer> = stdin[Symbol.asyncIterator]();
      const { head } = await headOf({ next: () => abortable(chunks.next(), signal) }, headBytes);
      const whole = withHead(head, chunks);
      if (isZip(head)) {
        dir = mkdtempSync(join(dataDir, 'scratch-'));
        path = join(dir, 'stdin.zip');
        await store(whole, path, signal);
      } else {
        fromStdin = true;
        const hashedBytes = hashed(whole, hash, read);
        const bytes = () => guarded(nameOf(i), unpacked(hashedBytes, nameOf(i), growth), signal);
        all.push({ name: nameOf(i), isOnce: true, bytes });
        continue;
      }
    }
    read.of += sizeOf(path);
    hashFile(path, hash);
    all.push(...(await inputsOf({ path, name: nameOf(i), read, growth, signal })));
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

/** As many as tell a zip and gzip. */
const headBytes = 4;
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

interface FileFacts {
  path: string;
  name: string;
  read: Read;
  growth: Growth;
  signal: AbortSignal;
}

const inputsOf = async ({ path, name, read, growth, signal }: FileFacts): Promise<Input[]> => {
  const counted = (look: 'look' | undefined): Read => (look === undefined ? read : { bytes: 0, of: 0 });
  if (!isZip(beginningOf(path))) {
    const bytes: Input['bytes'] = look => {
      const stream = () => createReadStream(path, { highWaterMark: readAtOnce, signal });
      return guarded(name, unpacked(piecesOf(stream, counted(look)), name, growth), signal);
    };
    return [{ name, isOnce: false, bytes }];
  }
  const entries = await zipEntries(path, name);
  return entries.map(entry => {
    const label = `${name} (${entry.name})`;
    const bytes: Input['bytes'] = look => {
      const packed = piecesOf(() => entry.open(signal), counted(look));
      const content = entry.isPacked ? inflated(packed, createInflateRaw(zlibOptions), label, growth) : packed;
      return guarded(label, unpacked(content, label, growth), signal);
    };
    return { name: label, isOnce: false, bytes };
  });
};

const beginningOf = (path: string): Buffer => {
  const head = Buffer.alloc(headBytes);
  const file = openSync(path, 'r');
  try {
    readSync(file, head);
  } finally {
    closeSync(file);
  }
  return head;
};

/** A stream in pieces: it is opened when the first is asked for, and closed after the last. */
async function* piecesOf(open: () => Readable | Promise<Readable>, read: Read): AsyncGenerator<Buffer> {
  for await (const piece of await open()) {
    read.bytes += piece.length;
    yield piece;
  }
}

/** What is read, and the errors of reading as sentences. */
async function* guarded(name: string, bytes: AsyncGenerator<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    // Who waits for more of a stream hears the signal, too.
    for (let next = await abortable(bytes.next(), signal); !next.done; next = await abortable(bytes.next(), signal))
      yield next.value;
  } catch (error) {
    if (signal.aborted) throw new ImportProblem('Interrupted.');
    if (error instanceof ImportProblem) throw error;
    throw new ImportProblem(`${name} cannot be read: ${(error as Error).message}.`);
  } finally {
    // Of stdin, the piece that is waited for may never come.
    await abortable(bytes.return(undefined), signal).catch(() => {});
  }
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: Hash, read: Read): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    read.of += chunk.length;
    yield chunk;
  }
}

/** Rejects when the signal comes. The promise is not waited for, and its end concerns nobody. */
const abortable = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(new ImportProblem('Interrupted.'));
    if (signal.aborted) abort();
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
async function* unpacked(bytes: AsyncGenerator<Buffer>, name: string, growth: Growth): AsyncGenerator<Buffer> {
  const { head } = await headOf(bytes, headBytes);
  const all = withHead(head, bytes);
  yield* isGzip(head) ? inflated(all, createGunzip(zlibOptions), name, growth) : all;
}

const zlibOptions = { chunkSize: unpackedAtOnce };

/** What bytes unpack to, as long as it grows in measure. */
async function* inflated(
  bytes: AsyncGenerator<Buffer>,
  inflate: Gunzip | InflateRaw,
  name: string,
  growth: Growth,
): AsyncGenerator<Buffer> {
  let length = 0;
  // Errors of either end reach the loop that reads the other.
  for await (const piece of pipeline(Readable.from(bytes), inflate, () => {})) {
    length += piece.length;
    refuseBomb(length, inflate.bytesWritten, name);
    growth(piece.length, name);
    yield piece;
  }
}

/**
 * So much must come out of packed bytes before one looks how many times as much it is. Tables of
 * hits are packed to a tenth, the most monotonous logs to a hundredth.
 */
const bombBytesMin = 64 * 1024 * 1024;
const bombRatio = 300;

/** Throws ImportProblem for what grows beyond all measure when it is unpacked. */
const refuseBomb = (unpackedBytes: number, packedBytes: number, name: string): void => {
  if (unpackedBytes > bombBytesMin && unpackedBytes > bombRatio * packedBytes)
    throw problemAt({ file: name }, `it unpacks to more than ${bombRatio} times its size, which no export does`);
};

/** Counts what was unpacked of all files. Throws ImportProblem. */
type Growth = (bytes: number, name: string) => void;

/** What all files unpack to is bounded by their size on the disk, whatever directories claim. */
const growthOf = (read: Read): Growth => {
  let all = 0;
  return (bytes, name) => {
    all += bytes;
    refuseBomb(all, read.of, name);
  };
};
