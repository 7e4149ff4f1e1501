/** What docs/ has for Grafana fits a running server: the board’s metrics and labels, and the recipes’ addresses and columns. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { utcDayName, utcDayOf } from '../src/model/time.ts';
import { packageRoot } from '../src/package-root.ts';
import { apiKeys } from '../src/store/accounts/accounts.ts';
import { definitions } from '../src/store/definitions.ts';
import { addSite } from './helpers.ts';
import { startTestServer, type TestServer } from './start-server.ts';

const docs = (file: string): string => readFileSync(join(packageRoot, 'docs', file), 'utf8');
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
const key = `tk_live_${'k'.repeat(32)}`;

const startWithHits = async (): Promise<TestServer> => {
  const server = await startTestServer({ flags: { 'metrics-sites': '10' } });
  const { id, accountId, publicKey } = addSite(server.db, { domain: 'example.com' });
  apiKeys(server.db).add(accountId, 'test', key, 0);
  definitions(server.db).set(id, 'goal', 'Home', { conditions: 'path=/', value: null }, 0);
  await fetch(`${server.url}/metrics/sites`);
  const hit = { s: publicKey, u: 'https://example.com/', r: 'https://search.example/' };
  for (const body of [hit, { ...hit, t: 'custom', n: 'Signup' }])
    await fetch(`${server.url}/e`, {
      method: 'POST',
      headers: { 'user-agent': firefox },
      body: JSON.stringify(body),
    });
  return server;
};

/** Names of samples, each with its labels. */
const samplesOf = (text: string): Map<string, Set<string>> => {
  const samples = new Map<string, Set<string>>();
  for (const [, name, labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = samples.get(name!) ?? new Set();
    samples.set(name!, known);
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!);
  }
  return samples;
};

/** What a query sums by. */
const grouping = /\bby \(([\w, ]+)\)/g;

test('each query of the board reads metrics and labels that there are', async () => {
  const server = await startWithHits();
  const read = async (path: string) => (await fetch(server.url + path)).text();
  const samples = samplesOf((await read('/metrics')) + (await read('/metrics/sites')));
  const board = docs('templates/grafana/daybook.json');
  JSON.parse(board);
  const queries = [...board.matchAll(/"(?:expr|query)": ("(?:[^"\\]|\\.)*_(?:[^"\\]|\\.)*")/g)].map(
    ([, text]) => JSON.parse(text!) as string,
  );
  assert.ok(queries.length >= 20);
  for (const query of queries) {
    const names = [...query.matchAll(/\b(?:daybook|process|nodejs)_\w+/g)].map(([name]) => name);
    assert.is(names.length, 1, query);
    const labels = samples.get(names[0]!);
    assert.ok(labels, `${names[0]} is told of`);
    const asked = [
      ...[...query.matchAll(/(\w+)=~?"/g)].map(([, label]) => label!),
      ...[...query.matchAll(grouping)].flatMap(([, list]) => list!.split(', ')),
      ...[...query.matchAll(/label_values\(\w+, (\w+)\)/g)].map(([, label]) => label!),
    ];
    for (const label of asked) assert.ok(labels.has(label), `${label} in ${query}`);
  }
  await server.close();
});

test('each recipe for the data source Infinity gets rows with its columns', async () => {
  const server = await startWithHits();
  const today = utcDayName(utcDayOf(Date.now()));
  const recipes = [...docs('operations.md').matchAll(/^\| [\w ]+ \| `(\/api\/\S+)` \| (.+) \|$/gm)];
  assert.is(recipes.length, 5);
  for (const [, path, columns] of recipes) {
    const url = server.url + path!.replaceAll(/\$\{__(?:from|to):date:YYYY-MM-DD\}/g, today);
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await answer.json()) as { data: Record<string, unknown>[] };
    assert.is(answer.status, 200, url);
    assert.ok(data.length > 0, url);
    for (const [, column, type] of columns!.matchAll(/`(\w+)` \((\w+)\)/g)) {
      const values = data.map(row => row[column!]);
      const isOf = (value: unknown): boolean =>
        type === 'timestamp' ? !Number.isNaN(Date.parse(String(value))) : typeof value === type;
      assert.ok(values.every(isOf), `${column} of ${url}: ${values[0]}`);
    }
  }
  await server.close();
});

test.run();
