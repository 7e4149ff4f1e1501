/**
 * Where measurements end up: every bench hands its table to `publish`, which prints it and puts it into docs/benchmarks.md between
 * `<!-- name -->` and `<!-- /name -->`, so that what the page says is what a program measured. So do the README's few sentences.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { packageRoot } from '../src/package-root.ts';

const pageFile = join(packageRoot, 'docs', 'benchmarks.md');
const readmeFile = join(packageRoot, 'README.md');

/** Prints Markdown and puts it into the page. Throws when the page has no place of that name. */
export const publish = (name: string, markdown: string, file = pageFile): void => {
  console.log(markdown);
  writeFileSync(file, withSection(readFileSync(file, 'utf8'), name, markdown));
};

/** Puts a sentence of the same measurement into the README. */
export const publishInShort = (name: string, sentence: string): void => publish(name, sentence, readmeFile);

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
