/** `/funnel`: who goes through some steps in their order, and where the others are lost. */
import type { DimensionName } from '../model/dimensions.ts';
import { isOneOf } from '../model/filters.ts';
import { funnelGroupsMax, funnelStepsMax } from '../model/limits.ts';
import { quotient, ratio, rounded } from '../model/metrics.ts';
import {
  type AnswerOf,
  type Filter,
  type FunnelScope,
  funnelScopes,
  type QuestionOf,
  type Report,
} from '../query/query.ts';
import { topRowsOf, topValues } from '../query/usual-questions.ts';
import type { Definition } from '../store/definitions.ts';
import { resolveStep, tellsNothingHidden } from './definitions.ts';
import {
  answerOf,
  askOne,
  type ReadableSite,
  refuseHidden,
  refuseHiddenFilters,
  windowEndpoint,
  windowObject,
} from './endpoint.ts';
import { blaming, choice, freeText, ParameterError } from './request/parameters.ts';
import { type AskedFunnel, type AskedStep, funnelQuestion, readFunnelQuestion, requireSteps } from './request/steps.ts';
import {
  count,
  type DescribedBy,
  described,
  list,
  nullable,
  number,
  object,
  oneOf,
  percentage,
  text,
} from './schema.ts';

export const funnelParameters = {
  ...funnelQuestion,
  funnel: freeText('The name of a saved funnel, in place of `step` and `scope`'),
};

interface FunnelStep {
  filters: Filter[];
  /** As it was given. */
  text: string;
}

export interface FunnelAsked {
  steps: FunnelStep[];
  scope: FunnelScope;
}

/**
 * The steps that were given or saved. Throws ParameterError; and HttpError where a public page does
 * not show saved funnels, or what the steps filter by.
 */
export const funnelOf = (asked: AskedFunnel & { funnel: string | undefined }, view: ReadableSite): FunnelAsked => {
  const { funnel } = asked;
  const { step, scope } = funnel === undefined ? requireSteps(asked) : savedFunnel(funnel, view);
  const read = (): FunnelStep[] => step.map(one => ({ text: one.text, filters: stepFilters(one, view) }));
  return { steps: funnel === undefined ? read() : blaming('funnel', read), scope };
};

/** What a hit passes that is a step. Throws as funnelOf does. */
export const stepFilters = (step: AskedStep, view: ReadableSite): Filter[] => {
  const filters = resolveStep(step, view.definitions, view.hidden);
  refuseHiddenFilters(view, filters);
  return filters;
};

/** Those whose steps tell nothing of what is hidden. */
export const shownFunnels = (view: Pick<ReadableSite, 'definitions' | 'hidden'>): Definition<'funnel'>[] => {
  const saved = view.definitions('funnel');
  if (view.hidden.size === 0) return saved;
  return saved.filter(({ body }) =>
    tellsNothingHidden(view.hidden, () =>
      readFunnelQuestion(body.question).step.flatMap(step => resolveStep(step, view.definitions, view.hidden)),
    ),
  );
};

const savedFunnel = (name: string, view: ReadableSite): AskedFunnel => {
  refuseHidden(view, 'funnels');
  const saved = shownFunnels(view);
  const found = saved.find(funnel => funnel.name === name);
  if (found !== undefined) return blaming('funnel', () => readFunnelQuestion(found.body.question));
  const allowed = saved.map(funnel => funnel.name);
  throw new ParameterError({ error: 'unknown funnel', parameter: 'funnel', value: name, allowed });
};

/**
 * Fields of visits: all hits of a visit have the same value, so each value has a funnel of its own.
 */
const groups = [
  ...(['channel', 'utmSource', 'utmCampaign'] as const),
  ...(['country', 'device'] as const),
] as const satisfies DimensionName[];

const rowSchema = object({
  step: described(text, 'As it was given'),
  visits: described(count, 'Visits with the hit that served the step'),
  visitors: count,
  lost: described(count, 'Came to the step before and not to this one'),
  lostRate: described(percentage, 'Of those that came to the step before'),
  stepRate: described(percentage, 'Came, of those at the step before'),
  totalRate: described(percentage, 'Came, of those at the first step'),
  medianSeconds: described(nullable(number), 'To the next; null where nobody took it'),
});
export type FunnelRow = DescribedBy<typeof rowSchema>;

export const funnel = windowEndpoint({
  summary: 'Who goes through some steps in their order, and where the others are lost',
  own: {
    ...funnelParameters,
    by: choice(['none', ...groups] as const, 'none', 'Also by value'),
  },
  response: windowObject(
    {
      scope: oneOf(funnelScopes),
      visits: described(count, 'All that range and filters choose'),
      visitors: count,
      data: list(rowSchema, funnelStepsMax),
    },
    {
      groups: list(
        object({
          name: text,
          first: count,
          last: count,
          totalRate: percentage,
        }),
        funnelGroupsMax,
      ),
    },
  ),
  plan({ window, filters, by, ...asked }, view) {
    const { steps, scope } = funnelOf(asked, view);
    const question: QuestionOf<'funnel'> = { kind: 'funnel', steps: steps.map(step => step.filters), scope };
    const { from, to } = window;
    const bodyOf = (answer: AnswerOf<'funnel'>) => ({
      scope,
      visits: answer.visits[0]!,
      visitors: answer.visitors[0]!,
      data: funnelRows(answer, steps, scope),
    });
    if (by === 'none') return askOne(window, filters, question, bodyOf);
    return {
      slices: [{ from, to, filters, questions: [question, topValues(by, funnelGroupsMax)] }],
      render([answers]) {
        const body = bodyOf(answerOf(answers, 'funnel'));
        const names = topRowsOf(answerOf(answers, 'table')).map(({ name }) => name);
        if (names.length === 0) return { ...body, groups: [] };
        const slices = names.map(name => ({
          from,
          to,
          filters: [...filters, isOneOf(by, [name])],
          questions: [question],
        }));
        return {
          slices,
          render: (report: Report) => ({
            ...body,
            groups: names.map((name, i) =>
              groupJson(name, funnelRows(answerOf(report[i], 'funnel'), steps, scope), scope),
            ),
          }),
        };
      },
    };
  },
});

const groupJson = (name: string, rows: readonly FunnelRow[], scope: FunnelScope): object => {
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const noun = scope === 'visit' ? 'visits' : 'visitors';
  return { name, first: first[noun], last: last[noun], totalRate: last.totalRate };
};

/** Before the first step nobody is lost. */
export const funnelRows = (
  { visits, visitors, medianMs }: AnswerOf<'funnel'>,
  steps: readonly FunnelStep[],
  scope: FunnelScope,
): FunnelRow[] => {
  const counted = (scope === 'visit' ? visits : visitors).slice(1);
  return steps.map(({ text }, i) => {
    const [came, before] = [counted[i]!, counted[Math.max(i - 1, 0)]!];
    const next = medianMs[i] ?? null;
    return {
      step: text,
      visits: visits[i + 1]!,
      visitors: visitors[i + 1]!,
      lost: before - came,
      lostRate: ratio((before - came) * 100, before),
      stepRate: ratio(came * 100, before),
      totalRate: rounded(quotient(came * 100, counted[0]!)),
      medianSeconds: next === null ? null : rounded(next / 1000),
    };
  });
};
