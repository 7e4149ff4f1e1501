/** Wrong input of every kind gets its clear answer, and the hits before and after it are there. */
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repeat } from '../repeat.ts';
import { startCollector } from './start-collector.ts';
import { storedHits } from './stored.ts';

const collector = await startCollector();
const { site, post, db } = collector;
const u = 'https://site1.example/';
const s = site.publicKey;
test.after(() => collector.close());

const whole = JSON.stringify({ s, u, ti: 'Tïtle 😀', t: 'custom', n: 'Signup', p: { plan: 'pro' } });

/** Sends a body between two good hits, which must be recorded. */
let sent = 0;
const between = async (body: string | Uint8Array): Promise<[number, string]> => {
  const number = ++sent;
  const marked = (place: string): object => ({ s, u: `${u}${place}-${number}` });
  assert.is((await post(marked('before'))).outcome, 'recorded');
  const { status, body: text } = await post(body);
  assert.is((await post(marked('after'))).outcome, 'recorded');
  const paths = storedHits(db).map(({ path }) => path);
  for (const place of ['before', 'after']) assert.ok(paths.includes(`/${place}-${number}`), `${place} ${number}`);
  return [status, text];
};

const badPayload: [number, string] = [400, 'bad payload'];

test('a body cut anywhere is refused', async () => {
  const bytes = Buffer.from(whole);
  const answers = new Set<string>();
  for (let length = 0; length < bytes.length; length += 3) {
    const { status, body } = await post(bytes.subarray(0, length));
    answers.add(`${status} ${body}`);
  }
  assert.equal([...answers], ['400 bad payload']);
  assert.equal(await between(bytes.subarray(0, -1)), badPayload);
});

const utf16 = Buffer.from(whole, 'utf16le');
const rows: [name: string, body: string | Uint8Array, want: [number, string]][] = [
  ['nothing', '', badPayload],
  ['white space', ' \n', badPayload],
  ['no JSON', 'hello', badPayload],
  ['two values', `${whole}${whole}`, badPayload],
  ['a byte order mark', `\ufeff${whole}`, badPayload],
  ['a form', 's=x&u=y', badPayload],
  ['null', 'null', badPayload],
  ['a number', '5', badPayload],
  ['a text', JSON.stringify(whole), badPayload],
  ['an array', `[${whole}]`, badPayload],
  ['an empty object', '{}', badPayload],
  ['no site', JSON.stringify({ u }), badPayload],
  ['an empty site', JSON.stringify({ s: '', u }), badPayload],
  ['a site that is no text', JSON.stringify({ s: 5, u }), badPayload],
  ['a site that is a list', JSON.stringify({ s: [s], u }), badPayload],
  ['no URL', JSON.stringify({ s }), badPayload],
  ['an empty URL', JSON.stringify({ s, u: '' }), badPayload],
  ['a URL that is no text', JSON.stringify({ s, u: { href: u } }), badPayload],
  ['an unknown type', JSON.stringify({ s, u, t: 'click' }), badPayload],
  ['a type of the prototype', JSON.stringify({ s, u, t: 'toString' }), badPayload],
  ['a type that is no text', JSON.stringify({ s, u, t: 1 }), badPayload],
  ['required fields in the prototype', `{"__proto__":{"s":"${s}","u":"${u}"}}`, badPayload],
  ['the prototype as a site', JSON.stringify({ s: '__proto__', u }), [404, '{"error":"unknown site"}']],
  ['a site of 30,000 characters', JSON.stringify({ s: 'x'.repeat(30_000), u }), [404, '{"error":"unknown site"}']],
  ['UTF-16', utf16, badPayload],
  ['Latin-1', Buffer.from(whole, 'latin1'), badPayload],
  [
    'half a character',
    Buffer.concat([Buffer.from(`{"s":"${s}","u":"${u}","ti":"`), Buffer.of(0xf0, 0x9f), Buffer.from('"}')]),
    badPayload,
  ],
  [
    'an overlong character',
    Buffer.concat([Buffer.from('{"s":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')]),
    badPayload,
  ],
  [
    'a surrogate as UTF-8',
    Buffer.concat([Buffer.from('{"s":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
    badPayload,
  ],
  ['zero bytes', Buffer.alloc(1000), badPayload],
  ['gzip', Buffer.from('1f8b0800000000000003', 'hex'), badPayload],
  ['32 KiB of brackets', '['.repeat(32 * 1024), badPayload],
  ['more than 32 KiB', 'x'.repeat(100_000), [413, 'payload too large']],
  ['a megabyte', 'x'.repeat(1_000_000), [413, 'payload too large']],
];
for (const [name, body, want] of rows) test(name, async () => assert.equal(await between(body), want));

test('a field of a wrong type is dropped and the hit kept', async () => {
  for (const value of [null, 5, -1, 1.5, true, [], {}, '', 'x', [[]], { a: 1 }]) {
    const odd = Object.fromEntries(
      ['r', 'ti', 'l', 'w', 'h', 'n', 'd', 'p', 'v', 'c', 'i', 'b', 'x'].map(name => [name, value]),
    );
    const b = typeof value === 'number' ? 0 : value;
    for (const t of ['pageview', 'custom', 'outbound', 'revenue', 'identify', 'duration', 'vitals']) {
      const answer = await post({ ...odd, s, u, t, b });
      assert.is(answer.outcome, 'recorded', `${t} ${JSON.stringify(value)}`);
    }
  }
});

test('numbers too large for a double are handled', async () => {
  for (const number of ['1e999', '-1e999', '1e-999', '0.1e309', '123456789012345678901234567890']) {
    const body = `{"s":"${s}","u":"${u}","t":"revenue","w":${number},"h":${number},"d":${number},"v":${number},"b":0,"p":{"a":${number},"b":1}}`;
    assert.equal(await between(body), [202, '{"m":"hash"}'], number);
    assert.ok(Number.isFinite(storedHits(db).at(-2)!.amount), number);
  }
});

test('NUL, control characters and lone surrogates are stored or replaced', async () => {
  const texts: [sent: string, kept: string][] = [
    ['a\\u0000b', 'a\u0000b'],
    ['\\u0000', '\u0000'],
    ['\\u001b[31m', '\u001b[31m'],
    ['\\ud83d', '\ufffd'],
    ['x\\udc00y', 'x\ufffdy'],
    ['\\ud83d\\ude00', '😀'],
    ['\\ude00\\ud83d', '\ufffd\ufffd'],
    ['\\u202e', '\u202e'],
    [`'); drop table hit; --`, `'); drop table hit; --`],
  ];
  for (const [text, kept] of texts) {
    const body = `{"s":"${s}","u":"${u}","t":"custom","n":"${text}","ti":"${text}","l":"${text}","r":"${text}","p":{"${text}":"${text}"}}`;
    assert.equal(await between(body), [202, '{"m":"hash"}'], text);
    const { event, title, properties } = storedHits(db).at(-2)!;
    assert.equal([event, title, properties], [kept, kept, [[kept, 'string', kept]]], text);
  }
});

test('structures may be 100 levels deep', async () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const nested = (depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
    const deep = nested(98);
    const tooDeep = nested(Math.floor(32_000 / (open.length + close.length)));
    assert.equal(await between(`{"s":"${s}","u":"${u}","t":"custom","n":"e","p":{"deep":${deep}}}`), [
      202,
      '{"m":"hash"}',
    ]);
    assert.equal(await between(`{"s":"${s}","u":"${u}","ti":${deep}}`), [202, '{"m":"hash"}']);
    for (const body of [deep, `{"s":"${s}","u":"${u}","ti":${nested(100)}}`, `{"s":"${s}","u":"${u}","ti":${tooDeep}}`])
      assert.equal(await between(body), badPayload);
  }
});

test('what cannot become a text is a mistake of the sender', async () => {
  const stubborn = '{"toString":1,"valueOf":1}';
  for (const body of [
    `{"type":"event","payload":{"website":${stubborn},"url":"/"}}`,
    `{"s":${stubborn},"u":"${u}"}`,
    `{"s":"${s}","u":${stubborn}}`,
  ])
    assert.equal((await between(body))[0], 400, body);
});

test('a hit may have as many keys as 32 KiB hold', async () => {
  const keys = Array.from({ length: 3500 }, (_, i) => `"${i}":1`).join();
  assert.equal(await between(`{"s":"${s}","u":"${u}","t":"custom","n":"e","p":{${keys}}}`), [202, '{"m":"hash"}']);
  assert.is((storedHits(db).at(-2)!.properties as unknown[]).length, 50);
});

test('the last of two equal fields counts, as in any JSON', async () => {
  assert.equal(await between(`{"s":"x","u":"y","s":"${s}","u":"${u}"}`), [202, '{"m":"hash"}']);
});

test('any bytes, JSON or hit get one of the listed answers', async () => {
  const hits = fc.record(
    {
      s: fc.constant(s),
      u: fc.oneof(fc.webUrl(), fc.string()),
      t: fc.constantFrom('pageview', 'custom', 'identify', 'revenue', 'vitals', 'x'),
      p: fc.jsonValue(),
      ti: fc.jsonValue(),
      n: fc.jsonValue(),
      v: fc.double(),
      d: fc.double(),
      w: fc.double(),
      r: fc.oneof(fc.webUrl(), fc.jsonValue()),
    },
    { requiredKeys: ['s', 'u'] },
  );
  const umami = fc.record({
    type: fc.constantFrom('event', 'identify', 'performance', 'x'),
    payload: fc.dictionary(
      fc.constantFrom('website', 'url', 'hostname', 'name', 'data', 'screen', 'title', 'tag', 'id', 'x'),
      fc.oneof(fc.constant(s), fc.jsonValue()),
    ),
  });
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json(),
    hits.map(hit => JSON.stringify(hit)),
    umami.map(body => JSON.stringify(body)),
    fc.array(hits).map(list => JSON.stringify({ hits: list })),
  );
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom('/e', '/api/send', '/api/batch', '/crawl'), async (body, path) => {
      const { status, outcome } = await post(body, { path });
      assert.ok([200, 202, 400, 404].includes(status), `${status}`);
      assert.match(outcome!, /^(recorded|(ignored|rejected); reason=[a-z-]+)$/);
    }),
    { seed: 1, numRuns: 600 * repeat },
  );
  assert.equal(await between(whole), [202, '{"m":"hash"}']);
  assert.equal(collector.logged, [], 'nothing failed inside');
});

test.run();
