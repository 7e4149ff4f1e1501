/** Visits that look automated, by reason (docs/definitions.md, "Suspect visits"). */
import { isOneOf } from '../model/filters.ts';
import { type SuspectReason, suspectReasonNames, suspectReasons } from '../model/suspects.ts';
import { type FieldFilter, type Filter, isFieldFilter, type Question, type Slice } from '../query/query.ts';
import { headline, headlineOf } from '../query/usual-questions.ts';
import { answerOf, windowEndpoint, windowObject } from './endpoint.ts';
import { count, described, list, object, oneOf, truth } from './schema.ts';

const reasonSchema = described(
  oneOf(suspectReasonNames),
  suspectReasonNames.map(name => `${name}: ${suspectReasons[name].meaning}`).join('. '),
);

export const suspects = windowEndpoint({
  summary: 'Visits that look automated, by the reason, also those that the site leaves out',
  response: windowObject({
    data: list(
      object({
        reason: reasonSchema,
        visits: count,
        visitors: count,
        pageviews: count,
        leftOut: described(truth, 'Whether the site leaves these visits out of all other numbers'),
      }),
    ),
  }),
  plan: ({ window: { from, to }, filters }, { site }) => ({
    slices: suspectReasonNames.map(
      (reason): Slice => ({ from, to, filters: [...filters, isOneOf('suspect', [reason])], questions: [headline] }),
    ),
    render: report => ({
      data: suspectReasonNames.map((reason, i) => {
        const { visits, visitors, pageviews } = headlineOf(answerOf(report[i], 'metricSeries'));
        return { reason, visits, visitors, pageviews, leftOut: site.leftOut.includes(reason) };
      }),
    }),
  }),
});

/** What filters out the visits that a site leaves out. */
export const leftOutFilters = (leftOut: SuspectReason[]): FieldFilter[] =>
  leftOut.length === 0 ? [] : [isOneOf('suspect', leftOut, true)];

/**
 * A slice without the visits that a site leaves out. Who filters by the reason asks for just these,
 * and so does who names a visit.
 */
export const withoutLeftOut = (slice: Slice, leftOut: SuspectReason[]): Slice => {
  const [isKept] = leftOutFilters(leftOut);
  if (isKept === undefined || slice.filters.some(isOnReason) || slice.questions.every(namesVisit)) return slice;
  return {
    ...slice,
    filters: [...slice.filters, isKept],
    questions: slice.questions.map(question => withSteps(question, isKept)),
  };
};

/** A visitor’s day may have visits that filters do not choose: their hits are no steps. */
const withSteps = (question: Question, isKept: Filter): Question =>
  question.kind === 'funnel' && question.scope === 'visitor'
    ? { ...question, steps: question.steps.map(step => [...step, isKept]) }
    : question;

const isOnReason = (filter: Filter): boolean =>
  isFieldFilter(filter) ? filter.field === 'suspect' : filter.anyOf.some(list => list.some(isOnReason));

const namesVisit = ({ kind }: Question): boolean => kind === 'visitHits';
