/** Brings the demo's sites from one data directory into another, and asks both the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { dimensionNames } from '../../src/model/dimensions.ts';
import { runCommand, testNow } from '../cli/helpers.ts';
import { temporaryDir } from '../helpers.ts';
import { startTestServer } from '../start-server.ts';

const now = (): number => testNow;

export interface Demo {
  dataDir: string;
  sites: { domain: string; timezone: string; currency: string; identityMode: string }[];
}

/** A directory with the demo's sites, and what they are called. */
export const withDemo = async (days: number, hits: number): Promise<Demo> => {
  const dataDir = temporaryDir();
  const ran = await runCommand(dataDir, ['demo', '--days', `${days}`, '--hits', `${hits}`]);
  assert.is(ran.code, 0, ran.stderr);
  return { dataDir, sites: (await runCommand(dataDir, ['site', 'list', '--json'])).json() };
};

/** How an export is divided into files, which are imported one by one. */
export type Divide = (text: string, identityMode: string) => string[];

interface Moving {
  divide?: Divide;
  format?: string;
  /** Of the import. */
  flags?: string[];
  /** Of the export. */
  env?: Record<string, string>;
}

/** Exports each site and imports it into a new directory, which is returned. */
export const moved = async (
  from: string,
  sites: Demo['sites'],
  { divide, format = 'ndjson', flags = [], env = {} }: Moving = {},
): Promise<string> => {
  const dataDir = temporaryDir();
  for (const { domain, timezone, currency, identityMode } of sites) {
    await runCommand(dataDir, ['site', 'add', domain, '--timezone', timezone, '--currency', currency]);
    await runCommand(dataDir, ['site', 'set', domain, '--identity-mode', identityMode]);
    const file = join(temporaryDir(), `${domain}.${format}`);
    const exported = await runCommand(from, ['export', file, '--site', domain, '--format', format], { env });
    assert.is(exported.code, 0, exported.stderr);
    const inputs =
      divide === undefined
        ? [{ path: file, stdin: '' }]
        : divide(readFileSync(file, 'utf8'), identityMode).map(stdin => ({ path: '-', stdin }));
    for (const { path, stdin } of inputs) {
      const ran = await runCommand(dataDir, ['import', path, '--site', domain, '--json', ...flags], { stdin });
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

/** Visits that began in the same millisecond are in the order of their ids, and so differ. */
const sortedLines = (text: string): string => text.split('\n').sort().join('\n');

export const questions = (seed: number, rounds = 15): string[] => {
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
  for (let i = 0; i < rounds; i++) {
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

/** What is recorded besides hits. */
export const recordQuestions = [
  'vitals?by=path',
  'vitals?by=device',
  'crawlers?by=name',
  'crawlers?by=path',
  'outcomes?',
].flatMap(asked =>
  ['range=30d', 'from=2026-11-18&to=2026-11-19'].map(range => `ext/${asked}&${range}`.replace('?&', '?')),
);

/**
 * The answers to questions about each site, as text, without what differs between two directories; by domain and
 * question.
 */
export const answers = async (
  dataDir: string,
  domains: readonly string[],
  asked: readonly string[],
  flags: Record<string, string> = {},
): Promise<Map<string, string>> => {
  const key = (await runCommand(dataDir, ['key', 'add', 'for the questions', '--json'])).json().key as string;
  const sites = (await runCommand(dataDir, ['site', 'list', '--json'])).json() as { id: string; domain: string }[];
  const server = await startTestServer({ dataDir, now, flags: { 'geo-db': '/dev/null', ...flags } });
  const found = new Map<string, string>();
  try {
    for (const domain of domains) {
      const { id } = sites.find(site => site.domain === domain)!;
      for (const question of asked) {
        const [kind, rest] = question.split(/[/?](.*)/) as [string, string];
        const path = kind === 'export' ? `export/${id}?${rest}` : `${kind}/sites/${id}/${rest}`;
        const url = `${server.url}/api/${path}`;
        const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
        const text = comparable(await response.text());
        const answer = question.includes('mode=sessions') ? sortedLines(text) : text;
        found.set(`${domain}: ${question}`, `${response.status} ${answer}`);
      }
    }
  } finally {
    await server.close();
  }
  return found;
};
