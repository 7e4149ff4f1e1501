/** Which format an import's tables have, which hold hits or counts, and which tell of these. */
import { type Format, isLineFormat } from '../compat/import-format.ts';
import { formatNamed, formats } from './formats.ts';
import { type ImportProblem, problemAt } from './problem.ts';
import { type SideTable, sideOf } from './side-tables.ts';
import { type FileTable, readRows } from './tables.ts';

export interface Classified {
  format: Format;
  main: FileTable[];
  sides: SideTable[];
  ignored: string[];
}

/** Which tables hold hits, and of which format. Throws ImportProblem. */
export const classify = (tables: readonly FileTable[], from: string | undefined): Classified => {
  const given = from === undefined ? undefined : formatNamed(from)!;
  const told = tables.find(({ first }) => first !== '');
  const found = tables.flatMap(table => tellFormat(table) ?? []);
  // A zip may hold a text beside the tables, which looks like a log.
  const format = given ?? found.find(one => !isLineFormat(one)) ?? found[0];
  if (format === undefined) {
    if (told === undefined) return { format: formatNamed('ndjson')!, main: [], sides: [], ignored: [] };
    throw noFormat(told);
  }
  if (isLineFormat(format)) {
    const main = given === undefined ? tables.filter(table => tellFormat(table) === format) : [...tables];
    return { format, main, sides: [], ignored: tables.filter(one => !main.includes(one)).map(({ name }) => name) };
  }
  const main = tables.filter(({ names }) => format.isTable(names));
  const sides = tables.flatMap(table => (format.isTable(table.names) ? [] : (sideOf(format, table) ?? [])));
  const known = new Set([...main, ...sides.map(({ table }) => table)]);
  const others = tables.filter(one => !known.has(one));
  const isHits = format.kind === 'hits';
  const named = isHits ? undefined : others.find(({ first, name }) => first !== '' && format.isNamed?.(name));
  if (main.length === 0 || named !== undefined) {
    const wrong = named ?? told ?? tables[0]!;
    if (wrong.first === '') throw problemAt({ file: wrong.name }, 'the file is empty');
    const missing = isHits ? missingIn(wrong, format) : [];
    const why = missing.length === 0 ? '' : ` (${missing.join(', ')})`;
    throw problemAt(
      { file: wrong.name, line: 1 },
      `this is no table ${isHits ? 'of hits ' : ''}of ${format.title}: it lacks columns, or they have other names${why}`,
    );
  }
  return { format, main, sides, ignored: others.map(({ name }) => name) };
};

/** The columns without which a table is not of the format, as the format itself asks for them. */
const missingIn = ({ names }: FileTable, format: Format): string[] => {
  if (isLineFormat(format)) return [];
  const asked = new Set<string>();
  const all = new Set(names);
  all.has = name => {
    if (!names.has(name)) asked.add(name);
    return true;
  };
  format.isTable(all);
  // One that only stands for another is not missed.
  return [...asked].filter(name => !format.isTable(new Set([...names, ...[...asked].filter(other => other !== name)])));
};

/** What to throw of a table that is of no format. */
export const noFormat = ({ name, first, writing }: FileTable): ImportProblem => {
  // What is no JSON is told as that, with its place.
  if (writing.kind === 'json') readRows({ bytes: Buffer.from(first), line: 1 }, writing, name, () => {});
  if (commonLog.test(first)) throw problemAt({ file: name, line: 1 }, noUserAgents);
  return problemAt(
    { file: name, line: 1 },
    `this is no file that Daybook recognizes. Choose its format: ${formats.map(one => one.name).join(', ')}`,
  );
};

/** Ends behind status and bytes. */
const commonLog = /^\S+ .*? \[[^\]]+\] "[^"]*" (?:\d{3}|-) (?:\d+|-)\s*$/;
const noUserAgents =
  'this log names no user agents, so people and crawlers cannot be told apart: only logs in the combined format can be imported';

/** The format that a table tells. A log that begins with no line of one is a log all the same. */
const tellFormat = (table: FileTable): Format | undefined => {
  if (table.first === '') return undefined;
  const ofRows = formats.find(format => !isLineFormat(format) && format.isTable(table.names));
  if (ofRows !== undefined) return ofRows;
  const ofLines = formats.find(format => isLineFormat(format) && format.isLine(table.first));
  return ofLines ?? (table.writing.kind === 'lines' ? formatNamed('combined') : undefined);
};
