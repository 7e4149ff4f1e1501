/** The package @daybook/client against a server. Its types are tried by `npm run test:clients`, with the packages that make them. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import createFetchClient from 'openapi-fetch';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundleClient } from '../../.ci/client.mjs';
import { definitions } from '../../src/store/definitions.ts';
import { addShop, filled, key, startApi } from '../api/fixture.ts';
import { temporaryDir } from '../helpers.ts';

const api = await startApi();
const shop = addShop(api.db);
definitions(api.db).set(shop.id, 'funnel', 'Sign up', { question: 'step=path%3D/&step=event%3DSignup' }, 1);
const file = join(temporaryDir(), 'client.mjs');
writeFileSync(file, await bundleClient());
// biome-ignore lint/suspicious/noExplicitAny: its types are made where it is published
const { createClient, DaybookError, settled }: any = await import(pathToFileURL(file).href);
const daybook = createClient({ url: `${api.base}/`, key });
const { body: description } = await api.get('/api/openapi.json');

const needed: Record<string, object> = {
  visitor: { visitor: '0000000000000001' },
  hits: { visit: 'x' },
  funnel: { funnel: 'Sign up' },
  answers: { ask: ['stats?range=7d', 'ext/table?range=7d'] },
};

/** What the path of an operation that reads names. */
const namedIn = (path: string): string[] =>
  path.includes('{team}') ? ['default'] : /\{(id|domain)\}/.test(path) ? ['shop.example'] : [];

interface Described {
  operationId: string;
  parameters: { $ref?: string }[];
}
const operations = Object.entries(description.paths as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters }]) => {
      const takes = (name: string): boolean => parameters.some(({ $ref }) => $ref?.endsWith(`/${name}`));
      return { path, method, operationId, takesFilters: takes('filter'), takesCountry: takes('country') };
    }),
);

test('every operation is a function that asks what it says', async () => {
  const reading = operations.filter(({ method }) => method === 'get');
  assert.ok(reading.length > 25);
  for (const { operationId, path, takesFilters, takesCountry } of reading) {
    const filters = takesFilters ? { filter: ['path^=/', 'path!=/nothing'], range: '7d' } : {};
    const question = { ...filters, ...(takesCountry && { country: ['DE', 'FR'] }), ...needed[operationId] };
    const got = await daybook[operationId](...namedIn(path), question);
    const search = new URLSearchParams(
      Object.entries(question).flatMap(([name, value]) => [value].flat().map(one => [name, String(one)])),
    );
    const wanted = await api.get(`${filled(path, shop)}?${search}`);
    assert.is(wanted.status, 200, wanted.text);
    if (wanted.body !== null) assert.equal(got, wanted.body, operationId);
    else if (operationId === 'answers')
      assert.equal(got.map((line: object) => JSON.stringify(line)).join('\n'), wanted.text.trim());
    else assert.is(got, wanted.text, operationId);
  }
});

test('a client that is made from the description filters with every operation that says so', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: its types are tried elsewhere
  const made = createFetchClient<any>({ baseUrl: api.base, headers: { authorization: `Bearer ${key}` } }) as any;
  for (const { operationId, path, method, takesFilters, takesCountry } of operations) {
    if (method !== 'get') continue;
    const filters = takesFilters ? { filter: ['path^=/', 'path!=/nothing'], range: '7d' } : {};
    const query = { ...filters, ...(takesCountry && { country: ['DE', 'FR'] }), ...needed[operationId] };
    const { response, error } = await made.GET(path, {
      params: { path: { id: 'shop.example', domain: 'shop.example', team: 'default' }, query },
      parseAs: 'text',
    });
    assert.is(response.status, 200, `${operationId}: ${JSON.stringify(error)}`);
  }
});

test('notes are written, changed and removed', async () => {
  const note = await daybook.addNote('shop.example', { date: '2026-11-20', text: 'One' });
  assert.is((await daybook.changeNote('shop.example', note.id, { date: '2026-11-20', text: 'Two' })).text, 'Two');
  assert.is((await daybook.notes('shop.example', { range: '7d' })).data.at(-1).text, 'Two');
  assert.equal(await daybook.removeNote('shop.example', note.id), { done: true });
});

test('pages are read one after the other, and switches are true or false', async () => {
  const names: string[] = [];
  for await (const { name } of daybook.each('table', 'shop.example', { range: 'all', limit: 1 })) names.push(name);
  assert.equal(
    names,
    (await daybook.table('shop.example', { range: 'all' })).data.map(({ name }: { name: string }) => name),
  );
  assert.ok(names.length > 2);
  const visits = [];
  for await (const visit of daybook.each('visits', 'shop.example', { range: 'all', limit: 2 })) visits.push(visit);
  assert.is(visits.length, 7);
  assert.ok((await daybook.series('shop.example', { range: '7d', previous: true })).previous);
  assert.not((await daybook.series('shop.example', { range: '7d', previous: false })).previous);
});

test('what the server refuses is an error, or a value', async () => {
  const failed = await daybook.stats('shop.example', { range: '8d' }).catch((error: unknown) => error);
  assert.instance(failed, DaybookError);
  assert.equal([failed.status, failed.error, failed.parameter, failed.value], [400, 'unknown range', 'range', '8d']);
  assert.ok(failed.allowed.includes('7d'));
  const { data, error } = await settled(daybook.stats('nothing.example'));
  assert.equal([data, error.status], [undefined, 404]);
  assert.is((await settled(daybook.stats('shop.example'))).error, undefined);
  const away = createClient({ url: 'http://127.0.0.1:1', key });
  assert.not.instance(await settled(away.stats('x')).catch((error: unknown) => error), DaybookError);
});

test('a busy server is asked again as often and as late as agreed', async () => {
  const seen: number[] = [];
  const answers: [number, Record<string, string>][] = [
    [503, { 'retry-after': '0' }],
    [429, { 'retry-after': '1' }],
    [200, { 'content-type': 'application/json' }],
    [503, { 'retry-after': '0' }],
    [503, { 'retry-after': '0' }],
    [503, { 'retry-after': '3600' }],
    [502, {}],
  ];
  const server = createServer((_, response) => {
    const [status, headers] = answers[seen.length]!;
    seen.push(Date.now());
    response.writeHead(status, headers).end(status === 200 ? '{"visitors":1}' : 'no JSON');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  assert.equal(await createClient({ url, key }).stats('x'), { visitors: 1 });
  assert.ok(seen[2]! - seen[1]! >= 990);
  const impatient = createClient({ url, key, retries: 1 });
  assert.is((await settled(impatient.stats('x'))).error.status, 503);
  assert.is(seen.length, 5);
  // An hour is too long, and a 502 says nothing of when.
  assert.is((await settled(impatient.stats('x'))).error.status, 503);
  assert.is((await settled(impatient.stats('x'))).error.status, 502);
  assert.is(seen.length, 7);
  server.close();
});

test.after(() => api.close());
test.run();
