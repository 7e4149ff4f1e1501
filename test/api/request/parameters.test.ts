import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  choice,
  filtersText,
  flag,
  freeText,
  ParameterError,
  parseParameters,
  rowLimit,
  valueCharsMax,
} from '../../../src/api/request/parameters.ts';
import { dimensionNames } from '../../../src/model/dimensions.ts';
import { type FilterField, filterFields, filterParameter, operatorsOf } from '../../../src/model/filters.ts';
import { rangeKeys } from '../../../src/model/ranges.ts';

const own = {
  dimension: choice(dimensionNames, 'path', 'A choice'),
  limit: rowLimit(20, 500),
  series: flag('A flag'),
  property: freeText('A text'),
};
const parse = (query: string) => parseParameters(new URLSearchParams(query), own, filterFields);

/** The body of the error that a query meets. */
const refusal = (query: string): unknown => {
  try {
    parse(query);
  } catch (error) {
    if (error instanceof ParameterError) return error.body;
    throw error;
  }
  return 'accepted';
};

test('the operator of a filter is part of its name', () => {
  const rows: [query: string, filters: unknown[]][] = [
    ['', []],
    ['path=/a', [{ field: 'path', operator: 'is', negated: false, values: ['/a'] }]],
    ['path!=/a', [{ field: 'path', operator: 'is', negated: true, values: ['/a'] }]],
    ['path*=blog', [{ field: 'path', operator: 'contains', negated: false, values: ['blog'] }]],
    ['path!*=x', [{ field: 'path', operator: 'contains', negated: true, values: ['x'] }]],
    ['path^=/docs/', [{ field: 'path', operator: 'startsWith', negated: false, values: ['/docs/'] }]],
    ['path$=.html', [{ field: 'path', operator: 'endsWith', negated: false, values: ['.html'] }]],
    ['path%21%2A=x', [{ field: 'path', operator: 'contains', negated: true, values: ['x'] }]],
    ['referrer=Direct+/+none', [{ field: 'referrer', operator: 'is', negated: false, values: ['Direct / none'] }]],
    ['city=', [{ field: 'city', operator: 'is', negated: false, values: [''] }]],
    ['query=a%3D1%26b%3D2', [{ field: 'query', operator: 'is', negated: false, values: ['a=1&b=2'] }]],
    ['query=a=1', [{ field: 'query', operator: 'is', negated: false, values: ['a=1'] }]],
    ['propKey=plan', [{ field: 'propKey', operator: 'is', negated: false, values: ['plan'] }]],
    ['propValue^=pro', [{ field: 'propValue', operator: 'startsWith', negated: false, values: ['pro'] }]],
    ['path!^=/docs/', [{ field: 'path', operator: 'startsWith', negated: true, values: ['/docs/'] }]],
    ['prop:plan=pro', [{ field: 'prop:plan', operator: 'is', negated: false, values: ['pro'] }]],
    ['prop%3Aplan%21=', [{ field: 'prop:plan', operator: 'is', negated: true, values: [''] }]],
    ['prop:a b*=x', [{ field: 'prop:a b', operator: 'contains', negated: false, values: ['x'] }]],
    ['prop:seats>=3', [{ field: 'prop:seats', operator: 'atLeast', negated: false, values: ['3'] }]],
    ['prop:seats>3', [{ field: 'prop:seats', operator: 'moreThan', negated: false, values: ['3'] }]],
    ['prop:seats%3E3=', [{ field: 'prop:seats', operator: 'moreThan', negated: false, values: ['3'] }]],
    ['prop:seats<-2.5', [{ field: 'prop:seats', operator: 'lessThan', negated: false, values: ['-2.5'] }]],
    ['prop:seats<=1e3', [{ field: 'prop:seats', operator: 'atMost', negated: false, values: ['1e3'] }]],
    ['duration>30&duration>60', [{ field: 'duration', operator: 'moreThan', negated: false, values: ['30', '60'] }]],
    ['duration=0', [{ field: 'duration', operator: 'is', negated: false, values: ['0'] }]],
    ['visit:event=Buy', [{ field: 'event', operator: 'is', negated: false, values: ['Buy'], visit: true }]],
    ['visit:path!=/a', [{ field: 'path', operator: 'is', negated: true, values: ['/a'], visit: true }]],
    ['visit:prop:n!>3', [{ field: 'prop:n', operator: 'moreThan', negated: true, values: ['3'], visit: true }]],
  ];
  for (const [query, filters] of rows) assert.equal(parse(query).filters, filters, query);
});

test('every dimension is a filter with every operator', () => {
  for (const name of dimensionNames) {
    for (const suffix of ['', '!', '*', '!*', '^', '!^', '$', '!$']) {
      const [filter, ...others] = parse(`${name}${suffix}=v`).filters;
      assert.is(filter?.field, name);
      assert.equal(filter?.values, ['v']);
      assert.is(others.length, 0);
    }
  }
});

test('a key that reads like more than a key stands in quotes', () => {
  const rows: [query: string, field: string, operator: string, value: string][] = [
    ['prop:price$=3', 'prop:price', 'endsWith', '3'],
    ['prop:"price$"=3', 'prop:price$', 'is', '3'],
    ['prop:"price$"$=3', 'prop:price$', 'endsWith', '3'],
    ['prop:a>b=3', 'prop:a>b', 'is', '3'],
    ['prop:"a>3"=', 'prop:a>3', 'is', ''],
    ['prop:"a>3">3', 'prop:a>3', 'moreThan', '3'],
    ['prop:a**=x', 'prop:a*', 'contains', 'x'],
    ['prop:"say ""hi"""=x', 'prop:say "hi"', 'is', 'x'],
    ['prop:"half=x', 'prop:"half', 'is', 'x'],
    ['prop:a%3Db=x', 'prop:a=b', 'is', 'x'],
    ['prop:visit:x=1', 'prop:visit:x', 'is', '1'],
    ['trait:email*=@', 'trait:email', 'contains', '@'],
    ['trait:"a>3">3', 'trait:a>3', 'moreThan', '3'],
    ['trait:"prop:$"=', 'trait:prop:$', 'is', ''],
  ];
  for (const [query, field, operator, value] of rows) {
    assert.equal(parse(query).filters, [{ field, operator, negated: false, values: [value] }], query);
  }
});

test('any filter is read back from the parameter that it is written as', () => {
  const key = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({ unit: fc.constantFrom('a', '"', '!', '*', '^', '$', '<', '>', '=', '3', ':', '&', '%'), minLength: 1 }),
  );
  const field = fc.oneof(
    fc.constantFrom<FilterField>(...dimensionNames, 'propKey', 'propValue', 'duration'),
    key.map((name): FilterField => `prop:${name}`),
    key.map((name): FilterField => `trait:${name}`),
  );
  const filter = field.chain(name =>
    fc.record({
      field: fc.constant(name),
      row: fc.constantFrom(...operatorsOf(name)),
      text: fc.string({ unit: 'grapheme' }),
      number: fc.constantFrom('0', '3', '-4.5', '1e3', '.5'),
      visit: fc.boolean(),
    }),
  );
  fc.assert(
    fc.property(filter, ({ field, row: { operator, negated, isNumeric }, text, number, visit }) => {
      const values = [isNumeric || field === 'duration' ? number : text];
      const wanted = { field, operator, negated, values, ...(visit && { visit: true as const }) };
      const query = new URLSearchParams([filterParameter(wanted, values[0]!)]).toString();
      assert.equal(parse(query).filters, [wanted], query);
    }),
    { seed: 20261122, numRuns: 2000 },
  );
});

test('a number is needed where numbers are compared, and operators fit their field', () => {
  for (const query of [
    'prop:seats>=three',
    'prop:seats<=',
    'duration=',
    'duration>=0x10',
    'visit:duration<=Infinity',
  ]) {
    const [parameter] = [...new URLSearchParams(query).keys()];
    assert.equal(refusal(query), { error: 'bad number', parameter }, query);
  }
  for (const query of [
    'path>=3',
    'path>3',
    'duration*=3',
    'propValue>=3',
    'prop:=x',
    'prop:!=x',
    'trait:=x',
    'trait:!=x',
    'visit:x=1',
  ]) {
    assert.is((refusal(query) as { error: string }).error, 'unknown parameter', query);
  }
  assert.is((refusal('visit:<field>=1') as { error: string }).error, 'unknown parameter');
});

test('values of one filter are alternatives; different filters must all match', () => {
  assert.equal(parse('country=DE&path=/a&country=FR&country!=DE').filters, [
    { field: 'country', operator: 'is', negated: false, values: ['DE', 'FR'] },
    { field: 'path', operator: 'is', negated: false, values: ['/a'] },
    { field: 'country', operator: 'is', negated: true, values: ['DE'] },
  ]);
});

test('an unknown name is refused, unless it starts with an underscore', () => {
  const allowed = ['range', 'from', 'to', ...Object.keys(own), ...filterFields];
  for (const name of [
    'contry',
    'path~',
    'path!!',
    'Path',
    '!path',
    'path !',
    'limits',
    'properties',
    'constructor',
    'é',
  ]) {
    const query = new URLSearchParams([[name, 'x']]).toString();
    assert.equal(refusal(query), { error: 'unknown parameter', parameter: name, allowed }, name);
  }
  assert.equal(parse('_=123&_cache=a&_cache=b&path=/').filters.length, 1);
});

test('a parameter with one value may not be repeated', () => {
  for (const name of ['range', 'from', 'limit']) {
    assert.equal(refusal(`${name}=1&${name}=1`), { error: 'repeated parameter', parameter: name });
  }
});

test('the number and length of filters are limited', () => {
  const pairs = (count: number): string => Array.from({ length: count }, (_, i) => `path=/${i}`).join('&');
  assert.is(parse(pairs(100)).filters[0]?.values.length, 100);
  assert.equal(refusal(pairs(101)), { error: 'too many parameters', parameter: 'path' });
  assert.is(refusal(`path=${'x'.repeat(valueCharsMax)}`), 'accepted');
  assert.equal(refusal(`path=${'x'.repeat(valueCharsMax + 1)}`), { error: 'value too long', parameter: 'path' });
});

const unknownRange = { error: 'unknown range', parameter: 'range', allowed: rangeKeys };

test('the range is one of its keys, 30d by default', () => {
  assert.equal(parse('').period, { range: '30d' });
  for (const range of rangeKeys) assert.equal(parse(`range=${range}`).period, { range });
  for (const range of ['', '8d', '30D', 'toString']) {
    assert.equal(refusal(`range=${range}`), { ...unknownRange, value: range }, range);
  }
});

test('dates replace the range', () => {
  const first = Date.UTC(2026, 9, 1);
  const last = Date.UTC(2026, 9, 7);
  const rows: [string, unknown][] = [
    ['from=2026-10-01&to=2026-10-07', { from: first, to: last }],
    ['range=7d&from=2026-10-01&to=2026-10-07', { from: first, to: last }],
    ['from=2026-10-01', { from: first, to: null }],
    ['to=2026-10-01', { from: first, to: first }],
    ['from=2024-02-29', { from: Date.UTC(2024, 1, 29), to: null }],
  ];
  for (const [query, period] of rows) assert.equal(parse(query).period, period, query);
});

test('an impossible date is refused by name', () => {
  const texts = [
    '',
    'today',
    '2026-13-01',
    '2026-02-29',
    '2026-04-31',
    '2026-1-1',
    '2026-10-01T00:00',
    '1969-12-31',
    '0000-00-00',
  ];
  for (const text of texts) {
    for (const parameter of ['from', 'to']) {
      assert.equal(refusal(`${parameter}=${text}`), { error: 'bad date', parameter }, text);
    }
  }
  assert.equal(refusal('from=2026-10-02&to=2026-10-01'), { error: 'bad date', parameter: 'from' });
  assert.equal(refusal('from=2026-10-02&range=x'), { ...unknownRange, value: 'x' });
});

test('a limit is clamped, and the default when it is no number', () => {
  const rows: [string | null, number][] = [
    [null, 20],
    ['5', 5],
    ['0', 1],
    ['-3', 1],
    ['500', 500],
    ['501', 500],
    ['9'.repeat(400), 500],
    ['7.9', 7],
    ['', 20],
    ['ten', 20],
    ['0x10', 20],
    ['5 rows', 20],
    ['Infinity', 20],
  ];
  for (const [text, want] of rows) {
    assert.is(parse(text === null ? '' : `limit=${text}`).limit, want, String(text));
  }
});

test('a flag is true for any value but 0 and false', () => {
  const rows: [string, boolean][] = [
    ['', false],
    ['series=1', true],
    ['series=true', true],
    ['series=', true],
    ['series=0', false],
    ['series=false', false],
    ['series=no', true],
  ];
  for (const [query, want] of rows) assert.is(parse(query).series, want, query);
});

test('a choice must be on its list', () => {
  assert.is(parse('').dimension, 'path');
  assert.is(parse('dimension=os').dimension, 'os');
  assert.equal(refusal('dimension=color'), {
    ...{ error: 'unknown dimension', parameter: 'dimension', value: 'color' },
    allowed: dimensionNames,
  });
});

test('a text stays as it was sent', () => {
  assert.is(parse('').property, undefined);
  for (const value of ['', ' a ', '1']) assert.is(parse(`property=${value}`).property, value);
});

test('filters are written as typed and read back the same', () => {
  assert.is(filtersText([]), 'none');
  assert.is(filtersText(parse('country=DE&path*=blog&country=FR').filters), 'country=DE; country=FR; path*=blog');
  assert.is(
    filtersText(parse('visit:event=Buy&prop:seats>3&duration>=30').filters),
    'visit:event=Buy; prop:seats>3; duration>=30',
  );
  const anyFilter = fc.record({
    field: fc.constantFrom<FilterField>(...dimensionNames, 'propKey', 'propValue'),
    suffix: fc.constantFrom('', '!', '*', '!*', '^', '$'),
    value: fc.string({ unit: 'grapheme' }),
  });
  fc.assert(
    fc.property(fc.array(anyFilter, { maxLength: 20 }), wanted => {
      const query = new URLSearchParams(wanted.map(({ field, suffix, value }) => [`${field}${suffix}`, value]));
      const { filters } = parse(query.toString());
      const values = filters.flatMap(filter => filter.values);
      assert.equal(values.toSorted(), wanted.map(({ value }) => value).toSorted());
      const texts = filters.flatMap(filter =>
        filter.values.map(value => filtersText([{ ...filter, values: [value] }])),
      );
      const want = wanted.map(({ field, suffix, value }) => `${field}${suffix}=${value}`);
      assert.equal(texts.toSorted(), want.toSorted());
    }),
    { seed: 20261120 },
  );
});

test.run();
