/** Which hits a filter selects, one row for each rule of docs/api.md, "Filters". */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Property } from '../../../src/model/hit.ts';
import { dayMs } from '../../../src/model/time.ts';
import { createEngine } from '../../../src/query/engine.ts';
import { alone } from '../../../src/query/pace.ts';
import type { AnswerOf, FieldFilter } from '../../../src/query/query.ts';
import { topValues } from '../../../src/query/usual-questions.ts';
import { openReader } from '../../../src/store/database.ts';
import { type HitRecord, recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';

const day = 20_000;
const { db, dataDir } = temporaryDatabase();
const siteId = addSite(db).id;

/** Each hit has a title of its own, by which it is recognised; all belong to one of two visits. */
const hit = (title: string, visitId: number, fields: Partial<HitRecord> = {}): HitRecord =>
  hitRecord({ siteId, day, visitId, at: day * dayMs + title.charCodeAt(0), title, ...fields });
const text = (key: string, value: string): Property => ({ key, type: 'string', value });
const event = (properties: Property[]): Partial<HitRecord> => ({ type: 'custom', event: 'Signup', properties });

const visits = [
  visitRecord({ siteId, day, id: 1, referrer: 'news.example', country: 'DE', width: 1280, height: 720 }),
  visitRecord({ siteId, day, id: 2, visitor: Buffer.from('ff02030405060708', 'hex') }),
];
const hits = [
  hit('a', 1, { path: '/Blog/one' }),
  hit('b', 1, { path: '/docs/', query: 'x=1' }),
  hit('c', 2, { path: null }),
  hit('d', 1, event([text('plan', 'pro'), text('source', 'Pro')])),
  hit('e', 1, event([text('plan', 'free'), text('level', 'pro')])),
  hit('f', 2, event([text('plan', '')])),
  hit('g', 2, event([{ key: 'seats', type: 'number', value: 2.5 }])),
  hit('h', 2, event([{ key: 'trial', type: 'boolean', value: 1 }])),
  hit('i', 2, event([{ key: 'due', type: 'date', value: '2024-10-04T09:30+02:00' }])),
  hit('j', 2, { type: 'revenue', event: 'Buy', revenue: { amount: 100, currency: 'EUR' } }),
];
recorder(db).write(hits.map((each, i) => recordedEntry(each, i === 0 ? visits[0] : i === 2 ? visits[1] : undefined)));
recorder(db).write([
  recordedEntry(hit('b', 1, { type: 'identify', identity: { name: 'Ada', traits: '{"name":"Ada","seats":3}' } })),
  recordedEntry(
    hit('d', 1, { type: 'identify', identity: { name: 'Ada', traits: '{"plan":"pro","empty":"","ok":true}' } }),
  ),
]);
const engine = createEngine(openReader(dataDir), 1e6);

/** The titles of the selected hits. */
const selected = async (filters: FieldFilter[], from = day * dayMs, to = (day + 1) * dayMs): Promise<string> => {
  const query = {
    siteId,
    currency: 'EUR',
    minorRates: {},
    slices: [
      {
        from,
        to,
        filters,
        questions: [topValues('title', 100)],
      },
    ],
  };
  const { rows } = (await engine.answer(query, alone))[0]![0] as AnswerOf<'table'>;
  return rows
    .map(({ name }) => name)
    .sort()
    .join('');
};

type Row = [
  field: FieldFilter['field'] | `visit:${FieldFilter['field']}`,
  operator: FieldFilter['operator'] | `not ${FieldFilter['operator']}`,
  ...values: string[],
];
const filterOf = ([field, operator, ...values]: Row): FieldFilter => ({
  field: field.replace('visit:', '') as FieldFilter['field'],
  ...(field.startsWith('visit:') && { visit: true }),
  operator: operator.replace('not ', '') as FieldFilter['operator'],
  negated: operator.startsWith('not '),
  values,
});

const cases: [string, Row[], string][] = [
  ['no filter', [], 'abcdefghij'],
  ['is compares exactly', [['path', 'is', '/blog/one']], ''],
  ['is', [['path', 'is', '/Blog/one']], 'a'],
  ['any of several values', [['path', 'is', '/Blog/one', '/docs/', '/nowhere']], 'ab'],
  ['contains ignores case', [['path', 'contains', 'BLOG']], 'a'],
  ['starts with does not', [['path', 'startsWith', '/b']], ''],
  ['starts with', [['path', 'startsWith', '/B']], 'a'],
  ['ends with', [['path', 'endsWith', 's/']], 'b'],
  ['an empty value is null', [['path', 'is', '']], 'c'],
  ['not keeps nulls', [['path', 'not is', '/Blog/one', '/']], 'bc'],
  ['not contains keeps nulls', [['path', 'not contains', '/']], 'c'],
  ['not null', [['query', 'not is', '']], 'b'],
  ['contains of an empty value is anything but null', [['query', 'contains', '']], 'b'],
  ['a visit’s attribute selects all its hits', [['country', 'is', 'DE']], 'abde'],
  ['Direct / none is no referrer', [['referrer', 'is', 'Direct / none']], 'cfghij'],
  ['so is an empty value', [['referrer', 'not is', '']], 'abde'],
  ['a screen bucket', [['screen', 'is', '1280-1535']], 'abde'],
  ['no screen', [['screen', 'is', '']], 'cfghij'],
  ['part of a screen bucket', [['screen', 'contains', '80-1']], 'abde'],
  ['event matches every kind', [['event', 'is', 'Buy', 'Signup']], 'defghij'],
  ['no event', [['event', 'is', '']], 'abc'],
  [
    'filters on different fields all hold',
    [
      ['country', 'is', 'DE'],
      ['event', 'is', 'Signup'],
    ],
    'de',
  ],
  [
    'filters on one field all hold',
    [
      ['path', 'contains', 'o'],
      ['path', 'not contains', 'docs'],
    ],
    'a',
  ],

  ['a key', [['propKey', 'is', 'plan']], 'def'],
  ['a value under any key', [['propValue', 'is', 'pro']], 'de'],
  [
    'key and value of one property',
    [
      ['propKey', 'is', 'plan'],
      ['propValue', 'is', 'pro'],
    ],
    'd',
  ],
  ['a number reads as JavaScript prints it', [['propValue', 'is', '2.5']], 'g'],
  ['a boolean reads true or false', [['propValue', 'is', 'true']], 'h'],
  ['a date reads as it was sent', [['propValue', 'is', '2024-10-04T09:30+02:00']], 'i'],
  ['a date is not its instant', [['propValue', 'is', '2024-10-04T07:30:00.000Z']], ''],
  [
    'an empty value',
    [
      ['propKey', 'is', 'plan'],
      ['propValue', 'is', ''],
    ],
    'f',
  ],
  ['not a key: none of that name', [['propKey', 'not is', 'plan']], 'abcghij'],
  ['not a value: none under any key', [['propValue', 'not is', 'pro']], 'abcfghij'],
  [
    'a key with another value',
    [
      ['propKey', 'is', 'plan'],
      ['propValue', 'not is', 'pro'],
    ],
    'ef',
  ],
  [
    'a value under another key',
    [
      ['propKey', 'not is', 'plan'],
      ['propValue', 'is', 'pro'],
    ],
    'e',
  ],
  ['no properties', [['propKey', 'is', '']], 'abcj'],
  ['some properties', [['propKey', 'not is', '']], 'defghi'],
  [
    'part of a value, case aside',
    [
      ['propValue', 'contains', 'PRO'],
      ['propKey', 'is', 'source'],
    ],
    'd',
  ],

  ['a property', [['prop:plan', 'is', 'pro']], 'd'],
  ['not a property keeps hits without the key', [['prop:plan', 'not is', 'pro']], 'abcefghij'],
  ['no property: without the key, or with an empty value', [['prop:plan', 'is', '']], 'abcfghij'],
  ['some property', [['prop:plan', 'not is', '']], 'de'],
  ['part of a property', [['prop:source', 'contains', 'PR']], 'd'],
  ['a key that no hit has', [['prop:color', 'is', 'red']], ''],
  ['without a key that no hit has', [['prop:color', 'not is', 'red']], 'abcdefghij'],
  ['a property that is a number', [['prop:seats', 'is', '2.5']], 'g'],
  ['a trait of the visit', [['trait:plan', 'is', 'pro']], 'abde'],
  ['earlier traits stay', [['trait:name', 'contains', 'ADA']], 'abde'],
  ['a trait that is a number', [['trait:seats', 'atLeast', '3']], 'abde'],
  ['not the number', [['trait:seats', 'moreThan', '3']], ''],
  ['a trait that is a boolean', [['trait:ok', 'is', 'true']], 'abde'],
  ['no trait: another visit, or an empty value', [['trait:empty', 'is', '']], 'abcdefghij'],
  ['some trait', [['trait:plan', 'not is', '']], 'abde'],
  ['not a trait keeps visits without the key', [['trait:plan', 'not is', 'pro']], 'cfghij'],
  ['another visit’s traits', [['visit:trait:plan', 'not is', 'pro']], 'cfghij'],
  ['a property is no trait', [['trait:source', 'is', 'Pro']], ''],
  ['a property that is a boolean', [['prop:trial', 'is', 'true', 'pro']], 'h'],
  [
    'filters on several properties',
    [
      ['prop:plan', 'is', 'pro', 'free'],
      ['prop:level', 'is', 'pro'],
    ],
    'e',
  ],
  ['numbers at least', [['prop:seats', 'atLeast', '2.5']], 'g'],
  ['numbers more than', [['prop:seats', 'moreThan', '2.5']], ''],
  ['numbers at most', [['prop:seats', 'atMost', '2.5']], 'g'],
  ['numbers less than any of several', [['prop:seats', 'lessThan', '2', '3']], 'g'],
  ['a text that is no number compares with none', [['prop:plan', 'atLeast', '-1e9']], ''],
  ['nor does a boolean', [['prop:trial', 'atLeast', '0']], ''],
  ['not at least keeps what is no number', [['prop:seats', 'not atLeast', '1']], 'abcdefhij'],

  ['visits with a page', [['visit:path', 'is', '/docs/']], 'abde'],
  ['visits without it', [['visit:path', 'not is', '/docs/']], 'cfghij'],
  ['visits with a property', [['visit:prop:seats', 'moreThan', '2']], 'cfghij'],
  ['visits with any of several', [['visit:event', 'is', 'Buy', 'Nothing']], 'cfghij'],
  [
    'conditions on visits may hold for different hits',
    [
      ['visit:path', 'is', '/docs/'],
      ['visit:prop:plan', 'is', 'free'],
      ['event', 'is', 'Signup'],
    ],
    'de',
  ],
  ['visits with a value of the visit', [['visit:country', 'is', 'DE']], 'abde'],
  ['visits without it, nulls kept', [['visit:country', 'not is', 'DE']], 'cfghij'],
  ['visits with a hit that has no event', [['visit:event', 'is', '']], 'abcdefghij'],
];

for (const [name, rows, want] of cases) {
  test(name, async () => assert.is(await selected(rows.map(filterOf)), want));
}

test('a filter on visits looks at the whole visit, also outside of the window', async () => {
  const [from, to] = ['d', 'e'].map(title => day * dayMs + title.charCodeAt(0)) as [number, number];
  const visits = { visit: true, operator: 'is', negated: false } as const;
  assert.is(await selected([{ ...visits, field: 'path', values: ['/docs/'] }], from, to), 'd');
  assert.is(await selected([{ ...visits, field: 'prop:plan', values: ['free'] }], from, to), 'd');
  assert.is(await selected([{ ...visits, field: 'path', values: ['/docs/'], negated: true }], from, to), '');
});

test('duration is that of the visit, in seconds', async () => {
  const on = (operator: FieldFilter['operator'], value: string) =>
    selected([{ field: 'duration', operator, negated: false, values: [value] }]);
  // From a to e it is 4 ms, and from c to j 7.
  assert.is(await on('atLeast', '0.007'), 'cfghij');
  assert.is(await on('moreThan', '0.007'), '');
  assert.is(await on('is', '.004'), 'abde');
  assert.is(await on('lessThan', '0.007'), 'abde');
});

test.run();
