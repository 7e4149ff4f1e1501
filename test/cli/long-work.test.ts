/** What long work says of itself: on a terminal and elsewhere. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { progressOf } from '../../src/cli/long-work.ts';
import type { WorkDone } from '../../src/model/work-done.ts';

/** What is written when the states come at these milliseconds. */
const written = (isTerminal: boolean, states: readonly (readonly [number, WorkDone])[]): string[] => {
  let now = 0;
  const found: string[] = [];
  const progress = progressOf({
    now: () => now,
    stderr: { write: text => found.push(text) },
    isTerminal: { stdin: isTerminal, stdout: isTerminal, stderr: isTerminal },
  });
  for (const [at, state] of states) {
    now = at;
    progress.show(state);
  }
  progress.end();
  return found;
};

const read = (count: number, part: number | null): WorkDone => ({ unit: 'line', verb: 'read', count, part });
const days = (count: number): WorkDone => ({ unit: 'day', verb: 'written', count, of: 60 });

test('a line on the terminal tells speed and time left, for each stage anew', () => {
  const lines = written(true, [
    [0, read(0, 0)],
    [100, read(1000, 0.01)],
    [10_000, read(123_456, 0.25)],
    [11_000, days(10)],
    [13_000, days(20)],
  ]);
  assert.equal(
    lines.map(line => line.replace('\x1b[K', '')),
    [
      '\r0 lines read (0 %)',
      '\r123,456 lines read (25 %), 12,300 a second, about 30 s left',
      '\r10 of 60 days written (16 %)',
      '\r20 of 60 days written (33 %), 5 a second, about 8 s left',
      '\r',
    ],
  );
});

test('where stderr is no terminal, there is a line every ten seconds', () => {
  const states = Array.from({ length: 250 }, (_, i) => [i * 100, read(i * 1000, i / 1000)] as const);
  assert.equal(written(false, states), [
    '100,000 lines read (10 %), 10,000 a second, about 2 min left\n',
    '200,000 lines read (20 %), 10,000 a second, about 80 s left\n',
  ]);
  assert.equal(written(false, states.slice(0, 99)), []);
});

test('what nobody knows is not told', () => {
  const [line] = written(false, [
    [0, read(0, null)],
    [20_000, read(50, null)],
  ]);
  assert.is(line, '50 lines read, 2.5 a second\n');
});

test('bytes are told in larger units', () => {
  const bytes = (count: number): WorkDone => ({ unit: 'byte', verb: 'copied', count, of: 8 * 2 ** 20 });
  const [line] = written(false, [
    [0, bytes(0)],
    [10_000, bytes(2 ** 20)],
  ]);
  assert.is(line, '1.0 MiB of 8.0 MiB copied (12 %), 102.5 KiB a second, about 70 s left\n');
});

test.run();
