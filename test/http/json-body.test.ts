/** How deep the JSON of a request may be: alike everywhere, and told. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { depthMax, isTooDeep } from '../../src/http/body.ts';
import type { HttpError } from '../../src/http/errors.ts';
import { readJson } from '../../src/http/json-body.ts';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
const nested = (depth: number, open: string, close: string): Buffer =>
  Buffer.from(open.repeat(depth) + close.repeat(depth));

test('the depth of JSON is found without reading it', () => {
  const text = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a'), maxLength: 200 });
  const { value } = fc.letrec(tie => ({
    value: fc.oneof({ depthSize: 'small' }, text, fc.array(tie('value')), fc.dictionary(text, tie('value'))),
  }));
  fc.assert(
    fc.property(value, fc.integer({ min: 80, max: 101 }), (inner, around) => {
      let whole: unknown = [inner, 'x'.repeat(200)];
      for (let i = 0; i < around; i++) whole = i % 2 ? [whole] : { a: whole };
      const json = Buffer.from(JSON.stringify(whole));
      assert.is(isTooDeep(json), depthOf(whole) > depthMax);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('a hundred levels are taken, and one more or a hundred thousand are not', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const inside = Buffer.from(nested(depthMax, open, close).toString().replace(':}', ':1}'));
    assert.not(isTooDeep(inside));
    for (const depth of [depthMax + 1, 100_000]) assert.ok(isTooDeep(nested(depth, open, close)));
  }
});

test('a body that is too deep is refused with a sentence', async () => {
  const server = createServer((request, response) => {
    readJson(request, 64 * 1024, 'body-too-large').then(
      value => response.end(JSON.stringify(value ?? 'none')),
      (error: HttpError) => response.writeHead(error.reply.status).end(error.reply.body),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = async (body: string): Promise<[number, string]> => {
    const response = await fetch(url, { method: 'POST', body });
    return [response.status, await response.text()];
  };
  assert.equal(await post('{"a":[1]}'), [200, '{"a":[1]}']);
  assert.equal(await post('{'), [200, '"none"']);
  const refused = '{"error":"the JSON is nested more than 100 levels deep"}';
  assert.equal(await post(nested(25_000, '[', ']').toString()), [400, refused]);
  assert.equal(await post('['.repeat(60_000)), [400, refused]);
  assert.is((await post(`"${'x'.repeat(70_000)}"`))[0], 413);
  server.closeAllConnections();
  server.close();
});

test.run();
