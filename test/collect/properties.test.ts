import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { identityOf, propertiesOf } from '../../src/collect/properties.ts';
import { textOf } from '../../src/collect/text.ts';
import { clip } from '../../src/model/clip.ts';
import { propertyTextCharsMax } from '../../src/model/limits.ts';
import { anyCharacter } from '../any-character.ts';
import { repeat } from '../repeat.ts';

const typed = (value: unknown): [string, string | number] | null => {
  const [property] = propertiesOf({ key: value });
  return property === undefined ? null : [property.type, property.value];
};

test('properties have types, and texts stay as they were sent', () => {
  const rows: [value: unknown, want: [string, string | number] | null][] = [
    ['pro', ['string', 'pro']],
    ['', ['string', '']],
    [null, ['string', '']],
    ['12', ['string', '12']],
    ['true', ['string', 'true']],
    [12, ['number', 12]],
    [-0.5, ['number', -0.5]],
    [Number.POSITIVE_INFINITY, null],
    [Number.NaN, null],
    [true, ['boolean', 1]],
    [false, ['boolean', 0]],
    [{ a: [1] }, ['string', '{"a":[1]}']],
    [[], ['string', '[]']],
    ['2026-10-01', ['date', '2026-10-01']],
    ['2026-10-01T12:30', ['date', '2026-10-01T12:30']],
    ['2026-10-01T12:30:15', ['date', '2026-10-01T12:30:15']],
    ['2026-10-01T12:30:15Z', ['date', '2026-10-01T12:30:15Z']],
    ['2026-10-01T12:30:15.250Z', ['date', '2026-10-01T12:30:15.250Z']],
    ['2026-10-01T12:30:15+05:45', ['date', '2026-10-01T12:30:15+05:45']],
    ['2026-10-01T00:30:00+02:00', ['date', '2026-10-01T00:30:00+02:00']],
    ['2024-02-29', ['date', '2024-02-29']],
    ['2026-02-29', ['string', '2026-02-29']],
    ['2026-02-30', ['string', '2026-02-30']],
    ['2026-13-01', ['string', '2026-13-01']],
    ['2026-10-01T25:00', ['string', '2026-10-01T25:00']],
    ['2026-10', ['string', '2026-10']],
    ['2026', ['string', '2026']],
    ['20261001', ['string', '20261001']],
    ['2026-10-01 12:30', ['string', '2026-10-01 12:30']],
    ['on 2026-10-01', ['string', 'on 2026-10-01']],
  ];
  for (const [value, want] of rows) assert.equal(typed(value), want, JSON.stringify(value));
});

test('only an object has properties', () => {
  for (const value of [undefined, null, 'x', 5, true, [1, 2], [['a', 1]]]) assert.equal(propertiesOf(value), []);
  assert.equal(propertiesOf({ '': 1 }), [], 'nor has a key without a name');
});

test('odd keys are keys like others', () => {
  const given = JSON.parse('{"__proto__":1,"constructor":2,"toString":"3","toJSON":{"toJSON":4}}');
  assert.equal(
    propertiesOf(given).map(({ key, value }) => [key, value]),
    [
      ['__proto__', 1],
      ['constructor', 2],
      ['toString', '3'],
      ['toJSON', '{"toJSON":4}'],
    ],
  );
  assert.is(identityOf(given)!.traits, '{"__proto__":1,"constructor":2,"toString":"3","toJSON":"{\\"toJSON\\":4}"}');
});

test('a structure of any depth is kept: its beginning, or a placeholder where it cannot be written', () => {
  for (const [open, close, placeholder] of [
    ['[', ']', '[…]'],
    ['{"a":', '}', '{…}'],
  ] as const) {
    const deep = open.repeat(16_000) + close.repeat(16_000).replace('}', '1}');
    const [type, value] = typed(JSON.parse(deep))!;
    // Node 26 writes any depth, its predecessors do not.
    assert.ok(type === 'string' && (value === placeholder || value === clip(deep, propertyTextCharsMax)), `${value}`);
  }
});

test('a visitor is named by the first trait that names people, or else by the first trait', () => {
  const rows: [traits: unknown, name: string | undefined][] = [
    [{ plan: 'pro', userId: 'u', id: 'i', username: 'n', name: 'Ann', email: 'a@b.c' }, 'a@b.c'],
    [{ plan: 'pro', userId: 'u', id: 'i', username: 'n', name: 'Ann' }, 'Ann'],
    [{ plan: 'pro', userId: 'u', id: 'i', username: 'n' }, 'n'],
    [{ plan: 'pro', userId: 'u', id: 7 }, '7'],
    [{ plan: 'pro', userId: 'u' }, 'u'],
    [{ plan: 'pro', seats: 3 }, 'pro'],
    [{ email: '', name: null, id: 0 }, '0'],
    [{ email: '' }, ''],
    [{}, undefined],
    ['x', undefined],
  ];
  for (const [traits, name] of rows) assert.is(identityOf(traits)?.name, name, JSON.stringify(traits));
  const { traits } = identityOf({ since: '2026-10-01', active: true, seats: 3 })!;
  assert.is(traits, '{"since":"2026-10-01","active":true,"seats":3}', 'as they came');
});

test('any JSON gives at most 50 properties, bounded and well-formed', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: 'binary', depthSize: 'large' }),
      fc.dictionary(fc.string({ unit: anyCharacter, maxLength: 300 }), fc.jsonValue(), { maxKeys: 80 }),
      (value, more) => {
        const properties = propertiesOf({ value, ...more });
        assert.ok(properties.length <= 50);
        assert.is(new Set(properties.map(({ key }) => key)).size, properties.length);
        for (const { key, type, value: kept } of properties) {
          assert.ok(key.length > 0 && key.length <= 200 && key.isWellFormed());
          if (type === 'string' || type === 'date')
            assert.ok(typeof kept === 'string' && kept.length <= 500 && kept.isWellFormed());
          else assert.ok(Number.isFinite(kept));
        }
      },
    ),
    { seed: 1, numRuns: 1000 },
  );
});

test('any text is cut to its limit and made well-formed', () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 });
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    units.map(codes => String.fromCharCode(...codes)),
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, most) => {
      const cut = clip(text, most);
      assert.is(cut.length, Math.min(text.length, most));
      assert.ok(cut.isWellFormed());
      assert.is(Buffer.from(cut).toString(), cut, 'survives UTF-8');
      if (text.length <= most && text.isWellFormed()) assert.is(cut, text);
      assert.is(textOf(text, most), text === '' ? null : cut);
    }),
    { seed: 1, numRuns: 1200 * repeat },
  );
  for (const value of [undefined, null, 5, {}, [], '']) assert.is(textOf(value, 5), null);
});

test.run();
