/** Tables of every kind are read as they were written, whichever way their bytes come. */
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RowProblem } from '../../src/compat/import-rows.ts';
import { dialectOf, readCsv } from '../../src/import/csv.ts';
import { ImportProblem } from '../../src/import/problem.ts';
import { readRows, tableOf } from '../../src/import/tables.ts';

const names = ['created_at', 'name', 'url', 'n'];
const pieces = ['a', 'é', '日', '𝒳', ' ', '"', '""', '\n', '\r\n', ',', ';', '\t', '|', "'", '\\', '\\N'];
const field = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map(some => some.join('')),
  fc.string({ maxLength: 8 }),
);
const rows = fc.array(fc.array(field, { minLength: names.length, maxLength: names.length }), { maxLength: 12 });
const writing = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  hasMark: fc.boolean(),
  endsWithLine: fc.boolean(),
  quotesAll: fc.boolean(),
});
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** What is null in databases comes back as nothing. */
const shown = (text: string): string => (text === '\\N' || text === 'NULL' ? '' : text);

/** The bytes in pieces of these lengths, over and over. */
const inPieces = (bytes: Buffer, lengths: readonly number[]) =>
  async function* (): AsyncGenerator<Buffer> {
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const end = at + lengths[i % lengths.length]!;
      yield bytes.subarray(at, end);
      at = end;
    }
  };

const read = async (text: string, lengths: readonly number[], isOnce: boolean): Promise<string[][]> => {
  const table = await tableOf({ name: 'a.csv', isOnce, bytes: inPieces(Buffer.from(text), lengths) });
  assert.equal([...table.names], names);
  const found: string[][] = [];
  for await (const chunk of table.chunks())
    readRows(chunk, table.writing, 'a.csv', row => found.push(names.map(name => row.text(name))));
  return found;
};

test('any table comes back as it was written', () =>
  fc.assert(
    fc.asyncProperty(rows, writing, cuts, fc.boolean(), async (given, how, lengths, again) => {
      const { delimiter, lineEnd, hasMark, endsWithLine, quotesAll } = how;
      const isPlain = (text: string): boolean => !quotesAll && !/["\r\n,;\t|]/.test(text);
      const write = (fields: readonly string[]): string =>
        fields.map(text => (isPlain(text) ? text : quoted(text))).join(delimiter);
      // A header of tabs without quotes would mean that backslashes escape.
      const header = delimiter === '\t' ? names.map(quoted).join(delimiter) : names.join(delimiter);
      const text = [header, ...given.map(write)].join(lineEnd) + (endsWithLine ? lineEnd : '');
      const want = given.map(fields => fields.map(shown));
      assert.equal(await read(`${hasMark ? '\uFEFF' : ''}${text}`, lengths, again), want);
    }),
    { seed: 11, numRuns: 400 },
  ));

const escapes: Record<string, string> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\b': '\\b', '\\': '\\\\' };

test('any table of tabs and backslashes comes back as it was written', () =>
  fc.assert(
    fc.asyncProperty(rows, cuts, async (given, lengths) => {
      const write = (text: string): string => text.replace(/[\n\t\r\b\\]/g, letter => escapes[letter]!);
      const text = `${[names, ...given.map(fields => fields.map(write))].map(fields => fields.join('\t')).join('\n')}\n`;
      const want = given.map(fields => fields.map(shown)).filter(fields => fields.length > 0);
      assert.equal(await read(text, lengths, false), want);
    }),
    { seed: 12, numRuns: 300 },
  ));

test('whatever stands in a table, it is read or refused with its place', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...pieces, '","', '"\n"', 'x,y,z,w\n'), { maxLength: 40 }),
      cuts,
      async (some, lengths) => {
        const text = `${names.join(',')}\n${some.join('')}`;
        try {
          for (const fields of await read(text, lengths, false)) assert.is(fields.length, names.length);
        } catch (error) {
          assert.instance(error, ImportProblem);
          const [, line] = /^a\.csv, line (\d+)(, column \d+)?: .*\.$/s.exec((error as Error).message) ?? [];
          assert.ok(Number(line) >= 1 && Number(line) <= text.split('\n').length, (error as Error).message);
        }
      },
    ),
    { seed: 13, numRuns: 500 },
  ));

test('a line is counted as an editor counts it', () => {
  const lines: number[] = [];
  readCsv('a,b\n"x\ny",1\n\nz,2\r\n"q\r\nr",3\nlast,"4"', dialectOf('a,b'), 1, (_, line) => lines.push(line));
  assert.equal(lines, [1, 2, 5, 6, 8]);
  assert.throws(
    () => readCsv('a,"b\nc"d', dialectOf('a,b'), 7, () => {}),
    (error: Error) => error instanceof RowProblem && error.line === 8 && error.column === 2,
  );
});

test.run();
