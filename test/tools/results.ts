/**
 * Where measurements end up: every bench hands its table to `publish`, which prints it and, when it was measured in full, puts it into
 * docs/benchmarks.md between `<!-- name -->` and `<!-- /name -->`, so that what the page says is what a program measured. So do the README's few
 * sentences.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { packageRoot } from '../../src/package-root.ts';
import { chosen } from './options.ts';

const pageFile = join(packageRoot, 'docs', 'benchmarks.md');
const readmeFile = join(packageRoot, 'README.md');

/** Prints Markdown and, when a full run measured it, puts it into the page. Throws when the page has no place of that name. */
export const publish = (name: string, markdown: string, isFull: boolean, file = pageFile): void => {
  console.log(`\n${markdown}`);
  if (isFull) writeFileSync(file, withSection(readFileSync(file, 'utf8'), name, markdown));
};

/** Puts a sentence of the same measurement into the README. */
export const publishInShort = (name: string, sentence: string, isFull: boolean): void =>
  publish(name, sentence, isFull, readmeFile);

/** Measures sections of the page, those that `only` says, and publishes each. */
export const publishSections = async (
  sections: Readonly<Record<string, () => Promise<string>>>,
  only: string,
  isFull: boolean,
): Promise<void> => {
  const parts = Object.entries(sections).map(([name, measure]) => ({ name, measure }));
  for (const { name, measure } of chosen(parts, only)) {
    publish(name, `${await measure()} ${machine(Date.now())}`, isFull);
  }
};

/** The page with another text between the markers of a name. */
export const withSection = (page: string, name: string, markdown: string): string => {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(open), page.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`The page has no ${open} … ${close}: add them where the text belongs.`);
  return `${page.slice(0, from + open.length)}\n\n${markdown.trim()}\n\n${page.slice(to)}`;
};

/** A Markdown table; numbers stand to the right, with commas. */
export const markdownTable = (headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string => {
  const isNumber = headings.map((_, i) => rows.length > 0 && rows.every(row => typeof row[i] === 'number'));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const text = (cell: string | number): string => (typeof cell === 'number' ? cell.toLocaleString('en-US') : cell);
  return [
    line(headings),
    line(isNumber.map(right => (right ? '---:' : '---'))),
    ...rows.map(row => line(row.map(text))),
  ].join('\n');
};

/** What it was measured on, as a sentence; the date is that of the run. */
export const machine = (now: number): string => {
  const [processor] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const db = new Sqlite(':memory:');
  const sqlite = db.prepare('select sqlite_version()').pluck().get() as string;
  db.close();
  const date = new Date(now).toISOString().slice(0, 10);
  return `${cpus().length} cores of ${processor?.model.trim()}, ${memory} GiB, Linux ${release()}, Node ${process.versions.node}, SQLite ${sqlite}; ${date}.`;
};
