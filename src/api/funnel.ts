/** `/funnel`: who goes through some steps in their order, and where the others are lost. */
import { funnelStepsMax } from '../model/limits.ts';
import { quotient, ratio, rounded } from '../model/metrics.ts';
import { type AnswerOf, type Filter, type FunnelScope, funnelScopes } from '../query/query.ts';
import type { Definition } from '../store/definitions.ts';
import { resolveStep, tellsNothingHidden } from './definitions.ts';
import {
  askOne,
  type ReadableSite,
  refuseHidden,
  refuseHiddenFilters,
  windowEndpoint,
  windowObject,
} from './endpoint.ts';
import { blaming, freeText, ParameterError } from './request/parameters.ts';
import { type AskedFunnel, type AskedStep, funnelQuestion, readFunnelQuestion, requireSteps } from './request/steps.ts';
import { count, described, list, nullable, number, object, oneOf, percentage, text } from './schema.ts';

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

export const funnel = windowEndpoint({
  summary: 'Who goes through some steps in their order, and where the others are lost',
  own: funnelParameters,
  response: windowObject({
    scope: oneOf(funnelScopes),
    visits: described(count, 'All visits that range and filters choose'),
    visitors: count,
    data: list(
      object({
        step: described(text, 'As it was given'),
        visits: described(count, 'Visits with the hit that served the step'),
        visitors: count,
        lost: described(
          count,
          'Visits that came to the step before and not to this one; with the scope visitor, visitors',
        ),
        lostRate: described(percentage, 'Of those that came to the step before'),
        stepRate: described(percentage, 'Those that came, of those that came to the step before'),
        totalRate: described(percentage, 'Those that came, of those that came to the first step'),
        medianSeconds: described(nullable(number), 'From this step to the next; null where nobody took it'),
      }),
      funnelStepsMax,
    ),
  }),
  plan({ window, filters, ...asked }, view) {
    const { steps, scope } = funnelOf(asked, view);
    return askOne(window, filters, { kind: 'funnel', steps: steps.map(step => step.filters), scope }, answer => ({
      scope,
      visits: answer.visits[0]!,
      visitors: answer.visitors[0]!,
      data: funnelRows(answer, steps, scope),
    }));
  },
});

export interface FunnelRow {
  step: string;
  visits: number;
  visitors: number;
  lost: number;
  lostRate: number;
  stepRate: number;
  totalRate: number;
  medianSeconds: number | null;
}

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
