/** Finds out what an input is, and reads the records of a table whichever way it is written. */
import { isUtf8 } from 'node:buffer';
import { type Row, RowProblem } from '../compat/import-rows.ts';
import { isRecord, recordIn } from '../model/record.ts';
import { type Chunk, chunksOfLines, chunksOfRecords, elementsAsLines } from './chunks.ts';
import { type Dialect, dialectOf, readCsv } from './csv.ts';
import { headOf, withHead } from './head.ts';
import type { Input } from './inputs.ts';
import { problemAt } from './problem.ts';

/** How the records of an input are written; plain data. */
export type Notation =
  | { kind: 'lines' }
  /** A line for each object, or a list of them. */
  | { kind: 'json'; isList: boolean }
  | { kind: 'csv'; dialect: Dialect; header: string[]; headerLines: number };

export interface FileTable {
  name: string;
  writing: Notation;
  /** Its columns, or the names in its first object; empty for a log. */
  names: ReadonlySet<string>;
  /** The first line; empty where there is none. */
  first: string;
  /** Whole records, a header among them. */
  chunks(): AsyncGenerator<Chunk>;
}

/** As much as a header may have, and the first object of a list. */
const headBytesMax = 256 * 1024;

/**
 * Looks at the beginning of an input. Throws ImportProblem. Of an input that can be read again,
 * nothing is kept but what the table tells: a zip may hold thousands.
 */
export const tableOf = async (input: Input): Promise<FileTable> => {
  const { name, isOnce } = input;
  const bytes = input.bytes(isOnce ? undefined : 'look');
  const { head, isAll } = await headOf(bytes, headBytesMax, hasLine);
  if (!isOnce) await bytes.return(undefined);
  const looks = await lookOf(head, isAll, name);
  return isOnce ? tableOnce(looks, withHead(head, bytes)) : tableAgain(looks, input);
};

type Looks = Omit<FileTable, 'chunks'>;

// Functions of their own: closures of one function keep what any of them needs.
const tableOnce = (looks: Looks, bytes: AsyncIterable<Buffer>): FileTable => ({
  ...looks,
  chunks: () => chunksOf(bytes, looks),
});
const tableAgain = (looks: Looks, input: Input): FileTable => ({
  ...looks,
  chunks: () => chunksOf(input.bytes(), looks),
});

const chunksOf = (bytes: AsyncIterable<Buffer>, { name, writing }: Looks): AsyncGenerator<Chunk> => {
  const content = withoutMark(bytes);
  if (writing.kind === 'json' && writing.isList) return chunksOfLines(elementsAsLines(content, name));
  const hasBreaks = writing.kind === 'csv' && !writing.dialect.isEscaped;
  return hasBreaks ? chunksOfRecords(content, name) : chunksOfLines(content);
};

const lookOf = async (head: Buffer, isAll: boolean, name: string): Promise<Looks> => {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))
    throw problemAt({ file: name, line: 1 }, 'it is written in UTF-16: save it as UTF-8');
  const text = head.toString().replace(/^\uFEFF/, '');
  const comments = commentLines(text);
  const first = copied(text.split('\n', comments + 1)[comments]!.replace(/\r$/, ''));
  const header = csvHeader(first);
  // Databases pad texts of a fixed length with zero bytes, but no header.
  if (head.subarray(0, 1000).includes(0) && (header === undefined || first.includes('\0')))
    throw problemAt({ file: name, line: 1 }, 'it is not a text file');
  if (/^\s*\[\s*[{\]]/.test(text)) {
    const element = copied(await firstLine(elementsAsLines(withHead(head), name), isAll));
    return { name, writing: { kind: 'json', isList: true }, names: namesIn(element), first: element };
  }
  if (/^\s*\{/.test(first)) return { name, writing: { kind: 'json', isList: false }, names: namesIn(first), first };
  if (header === undefined) return { name, writing: { kind: 'lines' }, names: new Set(), first };
  const writing: Notation = { kind: 'csv', ...header, headerLines: comments + 1 };
  return { name, writing, names: new Set(header.header), first };
};

const csvHeader = (line: string): { dialect: Dialect; header: string[] } | undefined => {
  const dialect = dialectOf(line);
  const header = headerOf(line, dialect).map(copied);
  const isHeader = header.length > 1 && header.every(column => /^[\w .$/+():%-]+$/.test(column));
  return isHeader ? { dialect, header } : undefined;
};

/** A piece of a text keeps all of it in memory, until it is a text of its own. */
const copied = (text: string): string => Buffer.from(text).toString();

/** How many lines stand before the header that begin with `#`, and empty ones below them. */
const commentLines = (text: string): number => {
  const [comments = ''] = /^(?:#.*\r?\n(?:\r?\n)*)*/.exec(text) ?? [];
  return comments.split('\n').length - 1;
};

/** Of a list, the first object may stand on many lines. */
const hasLine = (piece: Buffer, [first]: Buffer): boolean => piece.includes(0x0a) && first !== 0x5b;

/** Without the mark that some programs put before UTF-8. */
async function* withoutMark(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of bytes) {
    const hasMark = isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    isFirst = false;
    yield hasMark ? chunk.subarray(3) : chunk;
  }
}

const firstLine = async (lines: AsyncIterable<Buffer>, isAll: boolean): Promise<string> => {
  let text = '';
  try {
    for await (const piece of lines) {
      text += piece.toString();
      if (text.includes('\n')) break;
    }
  } catch (error) {
    // The head of a longer list is cut.
    if (isAll) throw error;
  }
  return text.split('\n', 1)[0]!;
};

/** What is wrong with the line is said when it is read. */
const namesIn = (line: string): ReadonlySet<string> => new Set(Object.keys(recordIn(line) ?? {}));

const headerOf = (line: string, dialect: Dialect): string[] => {
  let header: string[] = [];
  try {
    readCsv(line, dialect, 1, fields => {
      header = fields.map(field => field.trim());
    });
  } catch (error) {
    if (!(error instanceof RowProblem)) throw error;
  }
  return header;
};

/** Calls `onRow` for each row of a chunk. Throws ImportProblem, for a RowProblem of `onRow` too. */
export const readRows = (chunk: Chunk, writing: Notation, file: string, onRow: (row: Row) => void): void => {
  const { bytes, line } = chunk;
  if (!isUtf8(bytes)) throw encodingProblem(chunk, writing, file);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  let at = line;
  try {
    if (writing.kind === 'json') {
      for (const one of text.split('\n')) {
        if (one !== '' && one.trim() !== '') onRow(jsonRow(one));
        at++;
      }
      return;
    }
    if (writing.kind !== 'csv') throw new Error('lines have no rows');
    const { header, dialect, headerLines } = writing;
    const cells = cellsOf(header);
    readCsv(text.replaceAll('\0', ''), dialect, line, (fields, rowLine) => {
      at = rowLine;
      // Google Analytics puts the sum of all rows between them, with a column of its own.
      const isOfAll = fields.length > header.length && fields.at(-1) === 'Grand total';
      if (rowLine <= headerLines || isOfAll) return;
      if (fields.length !== header.length)
        throw new RowProblem(
          Math.min(fields.length, header.length) + (fields.length > header.length ? 1 : 0),
          `there are ${fields.length} fields where the header has ${header.length}`,
        );
      onRow(cells(fields));
    });
  } catch (error) {
    if (!(error instanceof RowProblem)) throw error;
    const column =
      writing.kind === 'csv' && typeof error.column === 'string' ? named(error.column, writing.header) : error.column;
    const number = error.line === 0 ? at : error.line;
    const place = writing.kind === 'json' && writing.isList ? { entry: number } : { line: number };
    throw problemAt({ file, ...place, column }, error.message);
  }
};

const named = (column: string, header: readonly string[]): string =>
  header.includes(column) ? `${header.indexOf(column) + 1} (${column})` : column;

/** One object for all rows: a reader keeps none. */
const cellsOf = (header: readonly string[]): ((fields: readonly string[]) => Row) => {
  const columns = new Map(header.map((name, i) => [name, i]));
  let current: readonly string[] = [];
  const text = (name: string): string => {
    const column = columns.get(name);
    const found = column === undefined ? '' : current[column]!;
    return found === '\\N' || found === 'NULL' ? '' : found;
  };
  const row: Row = { text, value: text };
  return fields => {
    current = fields;
    return row;
  };
};

const jsonRow = (line: string): Row => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (error) {
    const [, position] = /position (\d+)/.exec((error as Error).message) ?? [];
    throw new RowProblem(position === undefined ? line.length + 1 : Number(position) + 1, 'it is not JSON');
  }
  if (!isRecord(parsed)) throw new RowProblem(1, 'it is not a JSON object');
  const values = parsed;
  return {
    value: name => values[name],
    text(name) {
      const value = values[name];
      if (value === undefined || value === null) return '';
      return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
    },
  };
};

/** Where bytes are first that are no UTF-8. */
const encodingProblem = ({ bytes, line }: Chunk, writing: Notation, file: string): Error => {
  const unit = writing.kind === 'json' && writing.isList ? 'entry' : 'line';
  let at = line;
  for (const one of splitLines(bytes)) {
    if (!isUtf8(one)) {
      const column = [...one.toString()].indexOf('\uFFFD') + 1;
      return problemAt({ file, [unit]: at, column }, 'it is not written in UTF-8: save it as UTF-8');
    }
    at++;
  }
  return problemAt({ file, [unit]: line }, 'it is not written in UTF-8: save it as UTF-8');
};

function* splitLines(bytes: Buffer): Generator<Buffer> {
  let from = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
    yield bytes.subarray(from, end);
    from = end + 1;
  }
  yield bytes.subarray(from);
}
