/** What an import reads: bytes into lines, and lines of both formats. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Chance } from '../../src/cli/demo/random.ts';
import { chunksOfLines, lineBytesMax } from '../../src/import/chunks.ts';
import { parseCombined } from '../../src/import/combined.ts';
import { openInputs } from '../../src/import/inputs.ts';
import { parseNdjson } from '../../src/import/ndjson.ts';
import { isPageView, urlOf } from '../../src/import/pages.ts';
import { ImportProblem } from '../../src/import/problem.ts';
import { must } from '../tools/conditions.ts';
import { mutateBytes, mutateText, randomBytes, randomJson, randomText } from './random-input.ts';
import type { Target } from './target.ts';

const good = [
  '203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 200 1234 "https://www.google.com/" "Mozilla/5.0 (X11)"',
  'host.example - "a b" [01/Jan/2026:23:59:60 -0730] "POST /x\\x22y HTTP/2.0" 304 - "-" "\\"quoted\\"" extra "field"',
  '{"at":"2026-10-01T12:00:00.000Z","ip":"203.0.113.9","ua":"Mozilla/5.0","hit":{"t":"pageview","u":"https://a.example/"}}',
  '{"at":"2026-10-01T12:00+02:00","ip":"::ffff:203.0.113.9","hit":{"u":"https://a.example/","p":{"a":[1,2]}}}',
];

const lineOf = (chance: Chance): string => {
  if (chance.is(0.8)) return mutateText(chance, chance.one(good));
  return chance.is(0.5)
    ? JSON.stringify({ at: randomText(chance), ip: '::1', hit: randomJson(chance) })
    : randomText(chance);
};

export const lines: Target = {
  name: 'lines',
  what: 'lines of an import',
  share: 0.25,
  lanes: 1,
  open: () => ({
    one(chance) {
      const line = lineOf(chance);
      const ndjson = parseNdjson(line);
      must(ndjson === null || (Number.isInteger(ndjson.at) && ndjson.at >= 0), `time of ${JSON.stringify(line)}`);
      const logged = parseCombined(line);
      if (logged === null) return;
      must(Number.isInteger(logged.at), `time of ${JSON.stringify(line)}`);
      isPageView(logged);
      urlOf(logged.target, 'a.example');
    },
    close() {},
  }),
};

const { signal } = new AbortController();

export const files: Target = {
  name: 'files',
  what: 'files of an import',
  share: 0.02,
  lanes: 4,
  open: () => ({
    async one(chance) {
      const text = Array.from({ length: chance.below(12) }, () => lineOf(chance).replaceAll('\n', ' ')).join('\n');
      const plain = Buffer.from(text);
      const bytes = chance.is(0.5) ? plain : chance.is(0.5) ? gzipSync(plain) : mutateBytes(chance, gzipSync(plain));
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + chance.below(300);
        pieces.push(bytes.subarray(at, end));
        at = end;
      }
      if (chance.is(0.1)) pieces.push(randomBytes(chance, 50));
      try {
        const { all } = await openInputs({ files: ['-'], stdin: Readable.from(pieces), dataDir: '', signal });
        for await (const { bytes: some, line } of chunksOfLines(all[0]!.bytes())) {
          must(line >= 1, 'a line without a number');
          for (const one of some.toString().split('\n')) must(one.length <= 2 * lineBytesMax, 'a line without an end');
        }
      } catch (error) {
        // A damaged archive cannot be read to its end, and the import tells it.
        must(error instanceof ImportProblem, (error as Error).stack ?? '');
      }
    },
    close() {},
  }),
};
