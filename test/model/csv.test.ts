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

test('no text begins a formula in a locale with another list separator or wide signs', () => {
  const rows: [text: string, want: string][] = [
    ['\nx', "'\nx"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠x', "'＠x"],
    ['/a;=cmd()', "/a;'=cmd()"],
    ['a;;＝1;-2', "a;;'＝1;'-2"],
    ['a\n=1', "a\n'=1"],
    ['a\r\n@x', "a\r\n'@x"],
    ['a\t+1', "a\t'+1"],
    ['\t=1', "'\t'=1"],
    ['a;"=1;', `a;"'=1;`],
    ['a;b=1; -2', 'a;b=1; -2'],
    ['a"=1', 'a"=1'],
  ];
  for (const [text, want] of rows) assert.is(withoutFormula(text), want);
});

/** The cells that a spreadsheet makes of a line in a locale: a cell is quoted if it begins with a quote. */
const cellsOf = (line: string, separator: string): string[] => {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"?)?([^${separator}\\n\\r]*)(?:[${separator}\\n\\r]|$)`, 'gy');
  return [...line.matchAll(cell)].map(([, quoted = '', rest]) => quoted.replaceAll('""', '"') + rest);
};

test('no locale finds a formula in any guarded text, nor in a comment', () => {
  const anyText = fc
    .array(fc.constantFrom('=', '＝', '-', '@', ';', ',', '\t', '\n', '\r', '"', ' ', 'a'))
    .map(all => all.join(''));
  fc.assert(
    fc.property(anyText, text => {
      for (const line of [csvLine(['Page', withoutFormula(text), 1]), csvComment(`Filters: path=${text}`)]) {
        for (const separator of [',', ';', '\t']) {
          for (const cell of cellsOf(line, separator))
            assert.not.match(cell, /^[=＝@-]/, JSON.stringify([line, separator]));
        }
      }
    }),
    { seed: 20261122, numRuns: 5000 },
  );
});

test('a comment stays one line, and its commas begin no formula', () => {
  assert.is(csvComment('Filters: title=a\r\nb'), '# Filters: title=a b\n');
  assert.is(csvComment('Filters: path==a; path*=b,=cmd(),@x'), "# Filters: path==a; path*=b,'=cmd(),'@x\n");
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
