import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cell, markdownCharsMax, markdownOf } from '../../src/mcp/markdown.ts';
import { anyCharacter } from '../any-character.ts';

test('a value is one line without what is not seen', () => {
  const rows: [unknown, string][] = [
    ['/blog', '/blog'],
    [null, '–'],
    [3, '3'],
    ['', ''],
    ['a\nb\r\nc\u2028d', 'a b c d'],
    ['a\u202eb\u200bc\u{e0041}d\u0000', 'a b c d'],
    ['`x` | <y> \\', '\\`x\\` \\| \\<y\\> \\\\'],
    ['x'.repeat(300), `${'x'.repeat(200)}…`],
    ['😀'.repeat(300), `${'😀'.repeat(200)}…`],
    [{ a: 1 }, '{"a":1}'],
  ];
  for (const [value, wanted] of rows) assert.is(cell(value), wanted);
});

test('any texts stay in their cells, and the whole within its bound', () => {
  const any = fc.string({ unit: anyCharacter, maxLength: 500 });
  fc.assert(
    fc.property(fc.array(fc.record({ name: any, value: fc.nat() }), { maxLength: 50 }), data => {
      const text = markdownOf({ total: 1, data });
      assert.ok(text.length <= markdownCharsMax);
      const rows = text
        .split('\n')
        .filter(line => line.startsWith('| '))
        .slice(1);
      if (!/\d+ of \d+ rows$/.test(text)) assert.is(rows.length, data.length);
      for (const row of rows) assert.is(row.replace(/\\./g, '').split('|').length, 4, row);
    }),
  );
});

test('a table that is too long says how much of it is shown', () => {
  const data = Array.from({ length: 2000 }, (_, i) => ({ name: `/a-long-path-of-a-page/${i}`, visitors: i }));
  const text = markdownOf({ data, total: 2000 });
  assert.ok(text.length <= markdownCharsMax);
  assert.match(text, /\n\d+ of 2000 rows/);
});

test('fields within fields have names of their own, and lists of tables are tables', () => {
  const text = markdownOf({
    visitors: 3,
    previous: { visitors: 2 },
    data: [{ dimension: 'path', rose: [{ name: '/', change: 1 }], fell: [] }],
  });
  assert.is(
    text,
    [
      'visitors: 3',
      'previous.visitors: 2',
      'dimension: path',
      '',
      'rose:',
      '| name | change |',
      '|---|---|',
      '| / | 1 |',
      'fell: none',
    ].join('\n'),
  );
});

test.run();
