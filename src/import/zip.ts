/**
 * Reads a zip file: its directory stands at its end, so it must be a file and not a stream.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, sections 4.3 and 4.5.3
 */
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { problemAt } from './problem.ts';

export interface ZipEntry {
  name: string;
  /** Whether its bytes are to be inflated. */
  isPacked: boolean;
  /** Its bytes as they are in the zip. Rejects with ImportProblem where it cannot be read. */
  open(signal: AbortSignal): Promise<Readable>;
}

const signature = { entry: 0x02014b50, local: 0x04034b50, end: 0x06054b50, end64: 0x06064b50, locator64: 0x07064b50 };
const [endBytes, locatorBytes, end64Bytes, entryBytes, localBytes] = [22, 20, 56, 46, 30];
const commentBytesMax = 65_535;
/** A directory of more entries than any export has. */
const entriesMax = 10_000;
const directoryBytesMax = 16 * 1024 * 1024;
const [stored, deflated] = [0, 8];
const encryptedFlag = 1;
const readAtOnce = 256 * 1024;

/**
 * The files in a zip, in its order, but for those that a system hides: a Mac puts one of its own
 * beside each file that it packs (`__MACOSX/._name`). Rejects with ImportProblem.
 */
export const zipEntries = async (path: string, name = path): Promise<ZipEntry[]> => {
  const file = await open(path);
  try {
    const { entries, at, bytes } = await directoryOf(file, name);
    if (entries > entriesMax || bytes > directoryBytesMax) throw problemAt({ file: name }, `it holds ${entries} files`);
    const all = entriesIn(await read(file, at, bytes, name), entries, name);
    const starts = all.map(({ local }) => local).sort((a, b) => a - b);
    const ends = new Map(starts.map((start, i) => [start, starts[i + 1] ?? at]));
    if (ends.size < all.length) throw overlapping(name);
    return all
      .filter(entry => !entry.name.endsWith('/') && !hidden.test(entry.name))
      .map(entry => ({
        name: entry.name,
        isPacked: entry.method === deflated,
        open: signal => openEntry(path, `${name} (${entry.name})`, entry, ends.get(entry.local)!, signal),
      }));
  } finally {
    await file.close();
  }
};

const hidden = /(?:^|\/)(?:__MACOSX\/|\.[^/]*$)/;

/** One content that many entries name would be read as often. */
const overlapping = (name: string): Error => problemAt({ file: name }, 'its files overlap, as in no proper zip');

const broken = (name: string): Error => problemAt({ file: name }, 'it is not a complete zip file');

const read = async (file: FileHandle, at: number, length: number, name: string): Promise<Buffer> => {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, at);
  if (bytesRead < length) throw broken(name);
  return bytes;
};

const directoryOf = async (file: FileHandle, name: string): Promise<{ entries: number; at: number; bytes: number }> => {
  const { size } = await file.stat();
  const tailAt = Math.max(0, size - endBytes - commentBytesMax);
  const tail = await read(file, tailAt, size - tailAt, name);
  let end = tail.length - endBytes;
  while (end >= 0 && tail.readUInt32LE(end) !== signature.end) end--;
  if (end < 0) throw broken(name);
  const found = {
    entries: tail.readUInt16LE(end + 10),
    bytes: tail.readUInt32LE(end + 12),
    at: tail.readUInt32LE(end + 16),
  };
  const locator = end - locatorBytes;
  if (locator < 0 || tail.readUInt32LE(locator) !== signature.locator64) return found;
  const end64 = await read(file, Number(tail.readBigUInt64LE(locator + 8)), end64Bytes, name);
  if (end64.readUInt32LE(0) !== signature.end64) throw broken(name);
  const [entries, bytes, at] = [32, 40, 48].map(from => Number(end64.readBigUInt64LE(from))) as [
    number,
    number,
    number,
  ];
  return { entries, bytes, at };
};

const entriesIn = (directory: Buffer, count: number, name: string): EntryFacts[] => {
  const found: EntryFacts[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + entryBytes > directory.length || directory.readUInt32LE(at) !== signature.entry) throw broken(name);
    const [nameBytes, extraBytes, comment] = [28, 30, 32].map(from => directory.readUInt16LE(at + from)) as number[];
    const extraAt = at + entryBytes + nameBytes!;
    const entryName = directory.toString('utf8', at + entryBytes, extraAt);
    const facts = {
      name: entryName,
      method: directory.readUInt16LE(at + 10),
      flags: directory.readUInt16LE(at + 8),
      packed: directory.readUInt32LE(at + 20),
      unpacked: directory.readUInt32LE(at + 24),
      local: directory.readUInt32LE(at + 42),
    };
    found.push(withZip64(facts, directory.subarray(extraAt, extraAt + extraBytes!)));
    at = extraAt + extraBytes! + comment!;
  }
  return found;
};

interface EntryFacts {
  name: string;
  method: number;
  flags: number;
  packed: number;
  unpacked: number;
  local: number;
}

const beyond32Bits = 0xffffffff;

/** Sizes that 32 bits cannot hold stand in an extra field. */
const withZip64 = (facts: EntryFacts, extra: Buffer): EntryFacts => {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const found = { ...facts };
    let value = at + 4;
    for (const name of ['unpacked', 'packed', 'local'] as const) {
      if (found[name] !== beyond32Bits || value + 8 > extra.length) continue;
      found[name] = Number(extra.readBigUInt64LE(value));
      value += 8;
    }
    return found;
  }
  return facts;
};

const openEntry = async (
  path: string,
  label: string,
  { method, flags, packed, local }: EntryFacts,
  end: number,
  signal: AbortSignal,
): Promise<Readable> => {
  if ((flags & encryptedFlag) !== 0) throw problemAt({ file: label }, 'it is encrypted');
  if (method !== stored && method !== deflated)
    throw problemAt({ file: label }, 'it is packed in a way that Daybook does not read: unpack it');
  const file = await open(path);
  try {
    const header = await read(file, local, localBytes, label);
    if (header.readUInt32LE(0) !== signature.local) throw broken(label);
    const start = local + localBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
    if (start + packed > end) throw overlapping(label);
    if (packed > 0) return file.createReadStream({ start, end: start + packed - 1, highWaterMark: readAtOnce, signal });
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return Readable.from([]);
};
