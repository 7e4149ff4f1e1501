/** `/funnel`: who goes through some steps in their order, and where the others are lost. */
import { funnelStepsMax } from '../model/limits.ts';
import { quotient, ratio, rounded } from '../model/metrics.ts';
import { type AnswerOf, type Filter, type FunnelScope, funnelScopes } from '../query/query.ts';
import { askOne, type ReadableSite, refuseHiddenFilters, windowEndpoint, windowObject } from './endpoint.ts';
import { readConditions } from './request/conditions.ts';
import { choice, ParameterError, type RepeatedParameter } from './request/parameters.ts';
import { count, described, list, nullable, number, object, oneOf, percentage, text } from './schema.ts';

interface FunnelStep {
  filters: Filter[];
  /** As it was given. */
  text: string;
}

const step: RepeatedParameter<FunnelStep[]> = {
  schema: { ...list(text, funnelStepsMax), minItems: 1, examples: [['path=/pricing', 'event=Signup']] },
  meaning:
    'A step: filters as a query string, all of which a hit must pass; `|` between several such conditions, any of which. Repeated, in the order of steps',
  isRequired: true,
  readAll(texts, name) {
    if (texts.length === 0) throw new ParameterError({ error: 'missing parameter', parameter: name });
    if (texts.length > funnelStepsMax) throw new ParameterError({ error: 'too many steps', parameter: name });
    return texts.map(text => ({ text, filters: readConditions(text, name) }));
  },
};

export const funnelParameters = {
  step,
  scope: choice(funnelScopes, 'visit', 'Whether a visit goes through the steps, or a visitor within a UTC day'),
};

/** Throws HttpError where a public page does not show what the steps filter by. */
export const refuseHiddenSteps = (view: ReadableSite, steps: readonly FunnelStep[]): void => {
  for (const { filters } of steps) refuseHiddenFilters(view, filters);
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
  plan({ window, filters, step: steps, scope }, view) {
    refuseHiddenSteps(view, steps);
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
