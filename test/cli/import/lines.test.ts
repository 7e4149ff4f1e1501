import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decompressed, lineBytesMax, linesOf } from '../../../src/cli/import/lines.ts';

/** A stream that comes in pieces of a size. */
const inPieces = (bytes: Buffer, size: number): Readable => {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return Readable.from(pieces);
};

const read = async (source: AsyncIterable<Buffer>): Promise<string[]> => {
  const lines: string[] = [];
  for await (const some of linesOf(decompressed(source))) lines.push(...some);
  return lines;
};

const cases: [name: string, text: string, want: string[]][] = [
  ['nothing', '', []],
  ['one line', 'a\n', ['a']],
  ['a last line without end', 'a\nb', ['a', 'b']],
  ['empty lines', '\n\na\n\n', ['', '', 'a', '']],
  ['line ends of Windows', 'a\r\nb\r\n', ['a', 'b']],
  ['a lone CR', 'a\rb\n', ['a\rb']],
  ['more than ASCII', 'ä€😀\né\n', ['ä€😀', 'é']],
  ['one byte', 'x', ['x']],
];
for (const [name, text, want] of cases) {
  test(name, async () => {
    for (const size of [1, 2, 3, 1000]) {
      assert.equal(await read(inPieces(Buffer.from(text), size)), want);
      assert.equal(await read(inPieces(gzipSync(text), size)), want);
    }
  });
}

test('lines are the same however the bytes come', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }).map(line => line.replace(/[\r\n]/g, ''))),
      fc.integer({ min: 1, max: 9 }),
      async (lines, size) => {
        const bytes = Buffer.from(lines.map(line => `${line}\n`).join(''));
        assert.equal(await read(inPieces(bytes, size)), lines);
      },
    ),
    { seed: 5 },
  ));

test('concatenated gzip files are read to the end', async () => {
  const joined = Buffer.concat([gzipSync('a\nb'), gzipSync('c\nd\n')]);
  assert.equal(await read(inPieces(joined, 7)), ['a', 'bc', 'd']);
});

test('a line that is too long is cut, and the next one is whole', async () => {
  const long = 'x'.repeat(lineBytesMax);
  for (const size of [1000, 65_536, 10_000_000]) {
    const lines = await read(inPieces(Buffer.from(`a\n${long}yyy\nb\n${long}\nc`), size));
    assert.equal(
      lines.map(line => line.length),
      size === 10_000_000 ? [1, lineBytesMax + 3, 1, lineBytesMax, 1] : [1, lineBytesMax, 1, lineBytesMax, 1],
    );
  }
});

test('a gzip file that is cut is an error, after the lines before it', async () => {
  const bytes = gzipSync(Buffer.from(Array.from({ length: 50_000 }, (_, i) => `line ${i * 7919}\n`).join('')));
  const lines: string[] = [];
  try {
    for await (const some of linesOf(decompressed(inPieces(bytes.subarray(0, bytes.length / 2), 1000))))
      lines.push(...some);
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /unexpected end of file/);
  }
  assert.is(lines[0], 'line 0');
});

test('an error of the source reaches the reader, compressed or not', async () => {
  for (const bytes of [Buffer.from('a\nb\n'), gzipSync('a\nb\n')]) {
    const failing = async function* () {
      yield bytes.subarray(0, 3);
      throw new Error('disk gone');
    };
    try {
      await read(failing());
      assert.unreachable();
    } catch (error) {
      assert.is((error as Error).message, 'disk gone');
    }
  }
});

test.run();
