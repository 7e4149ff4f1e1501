import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { csvComment, csvLine, withoutFormula } from '../../src/model/csv.ts';

test('cells are quoted where needed', () => {
  const rows: [cell: string | number | null, want: string][] = [
    ['plain', 'plain'],
    ['', ''],
    [null, ''],
    [0, '0'],
    [1.5, '1.5'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    [' space ', ' space '],
    ["it's; fine", "it's; fine"],
  ];
  for (const [cell, want] of rows) assert.is(csvLine([cell]), `${want}\n`);
  assert.is(csvLine(['a', 1, null, 'b,c']), 'a,1,,"b,c"\n');
});

test('a cell that would begin a formula is text', () => {
  for (const text of ['=cmd()', '+1', '-1', '@x', '\tx', '\rx']) assert.is(withoutFormula(text), `'${text}`);
  for (const text of ['', 'a=b', '/path', '(none)', ' =1', "'=1"]) assert.is(withoutFormula(text), text);
});

test('a comment stays one line', () => {
  assert.is(csvComment('Filters: title=a\r\nb'), '# Filters: title=a b\n');
});

/** Reads CSV as any reader does. */
const parse = (text: string): string[][] => {
  const rows: string[][] = [];
  let cells: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n\r]*))(,|\n)/g)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === ',') continue;
    rows.push(cells);
    cells = [];
  }
  return rows;
};

test('any cells are read back unchanged', () => {
  const anyCell = fc.oneof(fc.string(), fc.constantFrom('"', ',', '\n', '\r', '""', '",\n"'));
  fc.assert(
    fc.property(fc.array(fc.array(anyCell, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), rows => {
      assert.equal(parse(rows.map(csvLine).join('')), rows);
    }),
    { seed: 20261120, numRuns: 500 },
  );
});

test.run();
