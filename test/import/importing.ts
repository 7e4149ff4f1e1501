/** A site to import into, and its answers without a server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Answer, AnswerOf, Filter, Question } from '../../src/query/query.ts';
import { topRowsOf } from '../../src/query/usual-questions.ts';
import { openDatabase } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { type Ran, runCommand, type World } from '../cli/helpers.ts';
import { temporaryDir } from '../helpers.ts';

export interface Importing {
  dir: string;
  /** Imports files by their names; `-` is stdin. */
  run(files: Readonly<Record<string, string | Buffer>>, ...more: string[]): Promise<Ran>;
  ask(from: number, to: number, filters: Filter[], ...questions: Question[]): Promise<Answer[]>;
}

/** A site example.com of a data directory of its own. */
export const importing = async (...flags: string[]): Promise<Importing> => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'example.com', '--currency', 'EUR', ...flags]);
  let count = 0;
  return {
    dir,
    run(files, ...more) {
      const world: World = {};
      const paths = Object.entries(files).map(([name, content]) => {
        if (name === '-') {
          world.stdin = content;
          return '-';
        }
        const path = join(dir, `${count++}-${name}`);
        writeFileSync(path, content);
        return path;
      });
      return runCommand(dir, ['import', ...paths, '--site', 'example.com', '--json', ...more], world);
    },
    async ask(from, to, filters, ...questions) {
      const db = openDatabase(dir);
      try {
        const siteId = sites(db).list()[0]!.id;
        const query = { siteId, currency: 'EUR', minorRates: {}, slices: [{ from, to, filters, questions }] };
        return (await createEngine(db, 1e6).answer(query, alone))[0]!;
      } finally {
        db.close();
      }
    },
  };
};

export const utc = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** `name visitors hits` of each row. */
export const rowsIn = (answer: Answer | undefined): string[] =>
  topRowsOf(answer as AnswerOf<'table'>).map(({ name, value, events }) => `${name} ${value} ${events}`);

/** GoatCounter tells page views of days, and visitors of single pages. */
export const countsOfPages = {
  'paths.jsonl': '{"id":1,"path":"/","title":""}\n{"id":2,"path":"/a","title":""}\n',
  'refs.jsonl': '{"id":1,"ref":"","ref_scheme":"o"}\n',
  'hit_stats.jsonl': [
    { hour: '2026-11-01T10:00:00Z', path_id: 1, ref_id: 1, count: 4 },
    { hour: '2026-11-02T10:00:00Z', path_id: 2, ref_id: 1, count: 3 },
  ]
    .map(row => `${JSON.stringify(row)}\n`)
    .join(''),
};
