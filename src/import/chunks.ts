/** Cuts bytes into pieces of whole records, so that each can be read by itself. */
import { Buffer } from 'node:buffer';
import { problemAt } from './problem.ts';

export interface Chunk {
  /** Whole records. */
  bytes: Buffer;
  /** Number of its first line, from 1. */
  line: number;
}

/**
 * Fits a hit of 32 KiB with every byte escaped as `\u00xx`, and the rest of its line.
 */
export const lineBytesMax = 256 * 1024;

const [newline, quote] = [0x0a, 0x22];

/**
 * Lines, as many at a time as came together. Of one that is longer than `lineBytesMax` only the
 * beginning is kept, which makes it malformed.
 */
export async function* chunksOfLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<Chunk> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let line = 1;
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
    const whole = Buffer.concat([...rest, chunk.subarray(first, last + 1)]);
    yield { bytes: whole, line };
    line += newlinesIn(whole);
    rest = [];
    restBytes = 0;
    keep(chunk.subarray(last + 1));
  }
  if (restBytes > 0) yield { bytes: Buffer.concat(rest), line };
}

/** Records of a CSV, whose quoted fields may hold line breaks. Throws ImportProblem. */
export async function* chunksOfRecords(bytes: AsyncIterable<Buffer>, file: string): AsyncGenerator<Chunk> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  for await (const more of bytes) {
    const all = rest.length === 0 ? more : Buffer.concat([rest, more]);
    const end = endOfRecords(all);
    if (end > 0) {
      const whole = all.subarray(0, end);
      yield { bytes: whole, line };
      line += newlinesIn(whole);
    }
    rest = all.subarray(end);
    if (rest.length > lineBytesMax)
      throw problemAt({ file, line }, rest.includes(quote) ? 'a quote is not closed' : 'the line has no end');
  }
  if (rest.length === 0) return;
  if (isInQuotes(rest)) throw problemAt({ file, line }, 'a quote is not closed');
  yield { bytes: rest, line };
}

/** Where the last whole record ends. */
const endOfRecords = (bytes: Buffer): number => {
  if (!bytes.includes(quote)) return bytes.lastIndexOf(newline) + 1;
  let end = 0;
  let isQuoted = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) isQuoted = !isQuoted;
    else if (byte === newline && !isQuoted) end = i + 1;
  }
  return end;
};

const isInQuotes = (bytes: Buffer): boolean => {
  let isQuoted = false;
  for (const byte of bytes) if (byte === quote) isQuoted = !isQuoted;
  return isQuoted;
};

const newlinesIn = (bytes: Buffer): number => {
  let count = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
};

const [opening, closing, comma, backslash] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d]), 0x2c, 0x5c];

/**
 * The elements of a JSON array as lines: what stands between them goes, and line breaks within them
 * become spaces, which no text of JSON can hold as they are. Throws ImportProblem.
 */
export async function* elementsAsLines(bytes: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let line = 1;
  for await (const chunk of bytes) {
    const out = Buffer.alloc(chunk.length + 1);
    let length = 0;
    for (const byte of chunk) {
      const isInside = depth > 1 || (depth === 1 && !closing.has(byte) && byte !== comma);
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isText = false;
      } else if (byte === quote) isText = true;
      else if (opening.has(byte)) depth++;
      else if (closing.has(byte)) depth--;
      if (depth === 1 && byte === comma && !isText) out[length++] = newline;
      else if (isInside) out[length++] = byte === newline || byte === 0x0d ? 0x20 : byte;
    }
    line += newlinesIn(chunk);
    if (length > 0) yield out.subarray(0, length);
  }
  if (depth > 0) throw problemAt({ file, line }, 'it is cut off: its list has no end');
}
