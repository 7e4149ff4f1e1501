/** What is exported from one Daybook and imported into another answers every question alike. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../src/cli/demo/random.ts';
import { visitIdleMs } from '../src/model/limits.ts';
import { dayMs, hourMs } from '../src/model/time.ts';
import { openDatabase, openReader } from '../src/store/database.ts';
import { runCommand, testNow } from './cli/helpers.ts';
import { answers, type Demo, type Divide, moved, questions, recordQuestions, withDemo } from './tools/round-trip.ts';

const domainsOf = ({ sites }: Demo): string[] => sites.map(({ domain }) => domain);
const assertAnswered = (found: ReadonlyMap<string, string>): void => {
  for (const [question, answer] of found) assert.match(answer, /^200 /, question);
};

const asks = [...questions(7), ...recordQuestions];

/** The demo sends no flood. */
const countOtherTexts = (dataDir: string): void => {
  const db = openDatabase(dataDir);
  const insert = db.prepare('insert into other_text (site_id, hour, kind, bound, texts) values (?, ?, ?, ?, ?)');
  for (const hour of [testNow / hourMs - 30, testNow / hourMs - 5])
    for (const bound of ['site', 'sender']) insert.run(1, hour, 'page', bound, hour % 7);
  db.close();
};

/** What the sites answer where they came from. */
const answersBefore = async (): Promise<Demo & { before: Map<string, string> }> => {
  const demo = await withDemo(4, 4000);
  countOtherTexts(demo.dataDir);
  const before = await answers(demo.dataDir, domainsOf(demo), asks);
  assertAnswered(before);
  return { ...demo, before };
};
let asked: ReturnType<typeof answersBefore> | undefined;

/** Asserts that the sites answer alike once they are exported and imported. */
const assertAlike = async (given: { divide?: Divide } = {}): Promise<void> => {
  asked ??= answersBefore();
  const { before, ...demo } = await asked;
  const other = await moved(demo.dataDir, demo.sites, given);
  const after = await answers(other, domainsOf(demo), asks);
  for (const [question, answer] of before) assert.is(after.get(question), answer, question);
};

/**
 * Pages at random in one of three files, whoever they are of, each with what is said of it. In cookie mode files follow
 * each other in time, so that each knows who came before.
 */
const divided =
  (seed: number): Divide =>
  (text, identityMode) => {
    const chance = chanceFrom(seed);
    const files = ['', '', ''];
    let [visitor, heardAt, isOpen, file] = ['', 0, false, 0];
    for (const line of text.split('\n').filter(one => one !== '')) {
      const { at, visitor: by, hit } = JSON.parse(line) as { at: string; visitor: string; hit?: { t: string } };
      if (hit === undefined) {
        files[chance.below(3)] += `${line}\n`;
        continue;
      }
      const [time, isPage] = [Date.parse(at), hit.t === 'pageview'];
      const begins = by !== visitor || time - heardAt > visitIdleMs;
      if (begins || (isPage && !isOpen))
        file = identityMode === 'cookie' ? Math.floor((2.5 * time) / dayMs) % 3 : chance.below(3);
      // What stands before a visit's first page is about that.
      isOpen = begins && !isPage;
      files[file] += `${line}\n`;
      [visitor, heardAt] = [by, time];
    }
    return files;
  };

test('hits that were exported and imported answer every question alike', () => assertAlike());

test('it does not matter in how many imports they come', () => assertAlike({ divide: divided(5) }));

test('an export that has the rows of an earlier one brings what is new, and both are taken back as a whole', async () => {
  asked ??= answersBefore();
  const { before, ...demo } = await asked;
  const laterFrom = '2026-11-19T07:00';
  const earlier = (text: string): string[] => [
    text.replace(/^{"at":"([^"]*)".*\n/gm, (line, at) => (at < laterFrom ? line : '')),
    text,
  ];
  const other = await moved(demo.dataDir, demo.sites, { divide: earlier, flags: ['--new-only'] });
  const after = await answers(other, domainsOf(demo), asks);
  for (const [question, answer] of before) assert.is(after.get(question), answer, question);
  const imports = (await runCommand(other, ['import', 'list', '--json'])).json() as { id: number }[];
  assert.is(imports.length, 2 * demo.sites.length);
  for (const { id } of imports) assert.is((await runCommand(other, ['import', 'undo', `${id}`])).code, 0);
  const db = openReader(other);
  for (const table of ['day_part', 'vital', 'crawl', 'outcome', 'other_text', 'import_count'])
    assert.is(db.prepare(`select count(*) from ${table}`).pluck().get(), 0, table);
  db.close();
});

/** What Umami's columns can tell: who came, from where, with what, and what happened where. */
const umamiQuestions = [
  'ext/series?metrics=visitors,visits,pageviews&range=30d',
  ...[
    ...['path', 'entryPath', 'exitPath', 'title', 'query', 'hostname', 'referrer', 'channel', 'utmSource', 'utmMedium'],
    ...['utmCampaign', 'browser', 'os', 'device', 'screen', 'language', 'country', 'region', 'city'],
  ].flatMap(dimension => [
    `v1/breakdown?dimension=${dimension}&range=30d`,
    `v1/breakdown?dimension=${dimension}&range=7d&device=mobile`,
  ]),
];

test('what Umami’s table has columns for comes back from it', async () => {
  const demo = await withDemo(4, 4000);
  const other = await moved(demo.dataDir, demo.sites, { format: 'umami' });
  const before = await answers(demo.dataDir, domainsOf(demo), umamiQuestions);
  assertAnswered(before);
  const after = await answers(other, domainsOf(demo), umamiQuestions);
  for (const [question, answer] of before) assert.is(after.get(question), answer, question);
});

test.run();
