/**
 * Visits on their way from a query thread: in parcels, each opened when it is its turn, since reading thousands of rows at one go would keep
 * hits waiting for some 50 ms.
 */
import { deserialize, serialize } from 'node:v8';
import type { Answer, AnswerOf, Report, VisitRow } from '../query.ts';

type SentAnswer = Exclude<Answer, { kind: 'visits' }> | (Omit<AnswerOf<'visits'>, 'rows'> & { parcels: Uint8Array[] });
/** A report as it is sent. */
export type SentReport = SentAnswer[][];

/** So many take about a millisecond to open. */
const rowsMax = 250;

const pack = (rows: Iterable<VisitRow>): Uint8Array[] => {
  const all = [...rows];
  const parcels: Uint8Array[] = [];
  for (let at = 0; at < all.length; at += rowsMax) parcels.push(serialize(all.slice(at, at + rowsMax)));
  return parcels;
};

/** Can be walked as often as one likes. */
const unpack = (parcels: readonly Uint8Array[]): Iterable<VisitRow> => ({
  *[Symbol.iterator]() {
    for (const parcel of parcels) yield* deserialize(parcel) as VisitRow[];
  },
});

export const packReport = (report: Report): SentReport =>
  report.map(answers =>
    answers.map(answer => {
      if (answer.kind !== 'visits') return answer;
      const { rows, ...others } = answer;
      return { ...others, parcels: pack(rows) };
    }),
  );

export const unpackReport = (report: SentReport): Report =>
  report.map(answers =>
    answers.map(answer => {
      if (!('parcels' in answer)) return answer;
      const { parcels, ...others } = answer;
      return { ...others, rows: unpack(parcels) };
    }),
  );
