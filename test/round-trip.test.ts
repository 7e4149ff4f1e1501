/** What is exported from one Daybook and imported into another answers every question alike. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../src/cli/demo/random.ts';
import { dimensionNames } from '../src/model/dimensions.ts';
import { visitIdleMs } from '../src/model/limits.ts';
import { dayMs } from '../src/model/time.ts';
import { runCommand, testNow } from './cli/helpers.ts';
import { temporaryDir } from './helpers.ts';
import { startTestServer } from './start-server.ts';

const now = (): number => testNow;

interface Demo {
  dataDir: string;
  sites: { domain: string; timezone: string; currency: string; identityMode: string }[];
}

/** A directory with the demo's sites, and what they are called. */
const withDemo = async (): Promise<Demo> => {
  const dataDir = temporaryDir();
  const ran = await runCommand(dataDir, ['demo', '--days', '4', '--hits', '4000']);
  assert.is(ran.code, 0, ran.stderr);
  return { dataDir, sites: (await runCommand(dataDir, ['site', 'list', '--json'])).json() };
};

/** How an export is divided into files, which are imported one by one. */
type Divide = (text: string, identityMode: string) => string[];

const whole: Divide = text => [text];

const moved = async (from: string, sites: Demo['sites'], divide = whole, format = 'ndjson'): Promise<string> => {
  const dataDir = temporaryDir();
  for (const { domain, timezone, currency, identityMode } of sites) {
    await runCommand(dataDir, ['site', 'add', domain, '--timezone', timezone, '--currency', currency]);
    await runCommand(dataDir, ['site', 'set', domain, '--identity-mode', identityMode]);
    const file = join(temporaryDir(), `${domain}.${format}`);
    assert.is((await runCommand(from, ['export', file, '--site', domain, '--format', format])).code, 0);
    for (const lines of divide(readFileSync(file, 'utf8'), identityMode)) {
      const ran = await runCommand(dataDir, ['import', '-', '--site', domain, '--json'], { stdin: lines });
      assert.is(ran.code, 0, ran.stderr);
    }
  }
  const rates = await runCommand(from, ['rate', 'list', '--json']);
  for (const { source, target, rate } of rates.json() as { source: string; target: string; rate: number }[])
    await runCommand(dataDir, ['rate', 'set', source, target, String(rate)]);
  return dataDir;
};

/** Ids of visits and names of sites' keys are each directory's own. */
const comparable = (text: string): string =>
  text
    .replace(/"(id|visitId|site|siteId|visitor|nextCursor|cursor)":("[^"]*"|\d+|null)/g, '"$1":0')
    .replace(/\b(\d+-)?[0-9a-f]{16}(-\d+)?\b/g, 'hash');

const questions = (seed: number): string[] => {
  const chance = chanceFrom(seed);
  const filters = [
    '',
    'country=DE',
    'device=mobile',
    'path^=/blog',
    'visit:event!=Signup',
    'duration>30',
    'scroll>=50',
    'event=Signup',
  ];
  const ranges = ['range=today', 'range=7d', 'range=30d', 'from=2026-11-18&to=2026-11-19'];
  const asked: string[] = [];
  for (let i = 0; i < 15; i++) {
    const more = `${chance.one(ranges)}&${encodeURI(chance.one(filters))}`;
    asked.push(
      ...[`v1/stats?${more}`, `v1/series?${more}`, `ext/series?metrics=visitors,events,revenue,bounceRate&${more}`],
      ...[`v1/breakdown?dimension=${chance.one(dimensionNames)}&${more}`, `v1/events?${more}`],
      ...[
        `ext/table?dimension=${chance.one(['path', 'country', 'channel'])}&metrics=visitors,secondsOnPage,scroll,exitRate&${more}`,
      ],
      `export?mode=${chance.one(['breakdown', 'sessions'])}&${more}`,
    );
  }
  return asked;
};

const answers = async (dataDir: string, domain: string, asked = questions(7)): Promise<Map<string, string>> => {
  const key = (await runCommand(dataDir, ['key', 'add', `for ${domain}`, '--json'])).json().key as string;
  const { id } = (await runCommand(dataDir, ['site', 'list', '--json']))
    .json()
    .find((site: { domain: string }) => site.domain === domain);
  const server = await startTestServer({ dataDir, now, flags: { 'geo-db': '/dev/null' } });
  const found = new Map<string, string>();
  try {
    for (const question of asked) {
      const [kind, rest] = question.split(/[/?](.*)/) as [string, string];
      const path = kind === 'export' ? `export/${id}?${rest}` : `${kind}/sites/${id}/${rest}`;
      const url = `${server.url}/api/${path}`;
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      found.set(question, `${response.status} ${comparable(await response.text())}`);
    }
  } finally {
    await server.close();
  }
  return found;
};

/** What each site answers where it came from. */
const answersBefore = async (): Promise<Demo & { before: Map<string, Map<string, string>> }> => {
  const demo = await withDemo();
  const before = new Map<string, Map<string, string>>();
  for (const { domain } of demo.sites) {
    const found = await answers(demo.dataDir, domain);
    const failed = [...found].find(([, answer]) => !answer.startsWith('200'));
    assert.is(failed, undefined, failed?.join(' '));
    before.set(domain, found);
  }
  return { ...demo, before };
};
let asked: ReturnType<typeof answersBefore> | undefined;

/** Asserts that the sites answer alike once they are exported and imported. */
const assertAlike = async (divide?: Divide): Promise<void> => {
  asked ??= answersBefore();
  const { dataDir, sites, before } = await asked;
  const other = await moved(dataDir, sites, divide);
  for (const [domain, known] of before) {
    const after = await answers(other, domain);
    for (const [question, answer] of known) assert.is(after.get(question), answer, `${domain}: ${question}`);
  }
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
      const { at, visitor: by, hit } = JSON.parse(line) as { at: string; visitor: string; hit: { t: string } };
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

test('it does not matter in how many imports they come', () => assertAlike(divided(5)));

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
  const { dataDir, sites } = await withDemo();
  const other = await moved(dataDir, sites, whole, 'umami');
  for (const { domain } of sites) {
    const [before, after] = [
      await answers(dataDir, domain, umamiQuestions),
      await answers(other, domain, umamiQuestions),
    ];
    for (const [question, answer] of before) {
      assert.match(answer, /^200 /, question);
      assert.is(after.get(question), answer, `${domain}: ${question}`);
    }
  }
});

test.run();
