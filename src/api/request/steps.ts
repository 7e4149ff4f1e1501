/**
 * Steps of a funnel as parameters: each is filters as a query string, all of which a hit must pass,
 * with `|` between several such conditions, any of which it may meet.
 */
import { type FilterField, type FilterOn, filterFields } from '../../model/filters.ts';
import { funnelStepsMax } from '../../model/limits.ts';
import { type FunnelScope, funnelScopes } from '../../query/query.ts';
import { list, text } from '../schema.ts';
import { readAlternatives } from './conditions.ts';
import {
  choice,
  missingParameter,
  ParameterError,
  parseParameters,
  type RepeatedParameter,
  unknownParameter,
} from './parameters.ts';

export interface AskedStep {
  /** As it was given. */
  text: string;
  /** That it came in. */
  parameter: string;
  anyOf: FilterOn<FilterField>[][];
}

/** Steps in their order; none where the parameter is missing. */
export const stepsParameter = (meaning: string): RepeatedParameter<AskedStep[]> => ({
  schema: { ...list(text, funnelStepsMax), examples: [['path=/pricing', 'event=Signup']] },
  meaning: `${meaning}: filters as a query string, all of which a hit must pass; \`|\` between several such conditions, any of which. Repeated, in the order of steps`,
  readAll(texts, name) {
    if (texts.length > funnelStepsMax) throw new ParameterError({ error: 'too many steps', parameter: name });
    return texts.map(given => readStep(given, name));
  },
});

/** One step. Throws ParameterError. */
export const readStep = (given: string, parameter: string): AskedStep => ({
  text: given,
  parameter,
  anyOf: readAlternatives(given, parameter, filterFields),
});

export const funnelQuestion = {
  step: stepsParameter('A step'),
  scope: choice(funnelScopes, 'visit', 'Whether a visit goes through the steps, or a visitor within a UTC day'),
};

export interface AskedFunnel {
  step: AskedStep[];
  scope: FunnelScope;
}

/** Throws ParameterError where there is no step. */
export const requireSteps = (asked: AskedFunnel): AskedFunnel => {
  if (asked.step.length === 0) throw missingParameter('step');
  return asked;
};

/** The question of a saved funnel. Throws ParameterError for all but its steps and their scope. */
export const readFunnelQuestion = (question: string): AskedFunnel => {
  const search = new URLSearchParams(question);
  const allowed = Object.keys(funnelQuestion);
  const other = [...search.keys()].find(name => !allowed.includes(name));
  if (other !== undefined) throw unknownParameter(other, allowed);
  return requireSteps(parseParameters(search, funnelQuestion, []));
};
