import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer, AnswerOf, VisitRow } from '../../../src/query/query.ts';
import { packReport, unpackReport } from '../../../src/query/threads/parcels.ts';

const rowsOf = (count: number): VisitRow[] =>
  Array.from({ length: count }, (_, i) => ({ id: `visit ${i}`, started: i, identified: null }) as VisitRow);

const sent = (answer: Answer): Answer => unpackReport(structuredClone(packReport([[answer]])))[0]![0]!;

test('visits arrive as they were sent, however many, and as often as they are read', () => {
  for (const count of [0, 1, 249, 250, 251, 5000]) {
    const rows = rowsOf(count);
    const arrived = sent({ kind: 'visits', rows, more: count > 1 }) as AnswerOf<'visits'>;
    assert.is(arrived.more, count > 1);
    assert.equal([...arrived.rows], rows);
    assert.equal([...arrived.rows], rows);
  }
});

test('reading the first of many visits opens no more than a few of them', () => {
  const answer = packReport([[{ kind: 'visits', rows: rowsOf(5000), more: false }]])[0]![0]!;
  if (answer!.kind !== 'visits') throw new Error(answer!.kind);
  answer.parcels.fill(Uint8Array.of(0), 1);
  const arrived = unpackReport([[answer]])[0]![0] as AnswerOf<'visits'>;
  assert.is(arrived.rows[Symbol.iterator]().next().value.id, 'visit 0');
  assert.throws(() => [...arrived.rows]);
});

test('other answers are left alone', () => {
  const answer: Answer = { kind: 'edges', firstAt: 1, lastAt: null };
  assert.equal(sent(answer), answer);
});

test.run();
