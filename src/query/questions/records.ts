/**
 * What is recorded besides hits: web vitals, crawls, and how hits ended. It is small, so each
 * question reads all of it, an hour or so at a time while others wait.
 */
import type { FilterOn } from '../../model/filters.ts';
import type { Records, TextTest } from '../../store/read/records.ts';
import type { QueryContext } from '../context.ts';
import { giveWay } from '../pace.ts';
import type { Answer, QuestionOf } from '../query.ts';
import { matches } from '../scan/match.ts';
import type { QuestionPlan } from './plan.ts';

type RecordsQuestion = QuestionOf<'vitals' | 'crawls' | 'outcomes'>;

export const planRecords = (question: RecordsQuestion, { query, records }: QueryContext): QuestionPlan => ({
  key: null,
  merge: () => ({
    visitors: [],
    answer: pace =>
      readRecords(question, { siteIds: query.rollup ?? [query.siteId], pause: () => giveWay(pace) }, records),
  }),
});

const readRecords = async (
  question: RecordsQuestion,
  of: { siteIds: readonly number[]; pause: () => Promise<void> | undefined },
  { vitals, crawls, outcomes, otherTexts }: Records,
): Promise<Answer> => {
  const { kind } = question;
  if (kind === 'outcomes') {
    const { bounds } = question;
    const window = { siteIds: of.siteIds, from: bounds[0] ?? 0, to: bounds.at(-1) ?? 0 };
    return { kind, counts: await outcomes({ ...of, bounds }), otherTexts: otherTexts(window) };
  }
  if (kind === 'vitals') {
    const { filters, ...about } = question;
    return { kind, ...(await vitals({ ...of, ...about, tests: testsOf(['path', 'device'], filters) })) };
  }
  const { filters, ...about } = question;
  return { kind, ...(await crawls({ ...of, ...about, tests: testsOf(['name', 'path', 'status'], filters) })) };
};

/** For each field, whether a text passes all filters on it. */
const testsOf = <Field extends string>(
  fields: readonly Field[],
  filters: readonly FilterOn<Field>[],
): Record<Field, TextTest> => {
  const testOf = (field: Field): TextTest => {
    const own = filters.filter(filter => filter.field === field);
    return text => own.every(filter => matches(filter, text) !== filter.negated);
  };
  return Object.fromEntries(fields.map(field => [field, testOf(field)])) as Record<Field, TextTest>;
};
