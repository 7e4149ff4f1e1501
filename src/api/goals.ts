/**
 * `/goals`: how often each goal of a site was reached; `/segments` and `/funnels`: what the site
 * has under names.
 */
import type { Goal } from '../model/definitions.ts';
import { ratio } from '../model/metrics.ts';
import type { Filter, GoalCounts } from '../query/query.ts';
import { areOfVisits, conditionsOf, partsOf, refuseTooMany, shownDefinitions } from './definitions.ts';
import { askOne, endpoint, type ReadableSite, refuseHiddenFilters, windowEndpoint, windowObject } from './endpoint.ts';
import { shownFunnels } from './funnel.ts';
import { otherRevenueOf, otherRevenueSchema } from './numbers.ts';
import { readAlternatives } from './request/conditions.ts';
import { freeText } from './request/parameters.ts';
import { count, described, integer, list, nullable, object, percentage, text } from './schema.ts';

export const goals = windowEndpoint({
  summary: 'How often each goal was reached',
  own: {
    conditions: {
      ...freeText(
        'Asks for this goal alone, which need not be saved: filters such as `event=Signup`, with `|` between alternatives',
      ),
      schema: { ...text, examples: ['event=Signup|path^=/thanks'] },
    },
  },
  response: windowObject({
    data: list(
      object(
        {
          name: described(text, 'Empty for one that is not saved'),
          conditions: text,
          value: described(nullable(integer), 'What a conversion is worth, in minor units'),
          conversions: described(count, 'Hits that reach the goal; visits, where it is about visits alone'),
          visits: described(count, 'Visits with a conversion'),
          visitors: described(count, 'Visitors with a conversion'),
          conversionRate: described(percentage, 'Visitors with a conversion, in percent of all visitors'),
          revenue: described(
            nullable(integer),
            'Of the hits that reach the goal, in minor units of the site’s currency; null where a public page shows no revenue',
          ),
          totalValue: described(nullable(integer), 'Conversions times value; null likewise'),
        },
        { otherRevenue: otherRevenueSchema },
      ),
    ),
    visitors: described(count, 'All visitors of the window and filters'),
    currency: text,
  }),
  plan({ window, filters, conditions }, view) {
    const asked = conditions === undefined ? savedGoals(view) : [newGoal(conditions, view)];
    refuseTooMany(partsOf(asked.flatMap(({ anyOf }) => anyOf.flat())).length, 'goal');
    const question = {
      kind: 'goals' as const,
      goals: asked.map(({ anyOf }) => ({ conditions: anyOf, ofVisits: anyOf.every(areOfVisits) })),
    };
    return askOne(window, filters, question, ({ goals, visitors }) => ({
      data: asked.map((goal, i) => goalJson(goal, goals[i]!, visitors, view)),
      visitors,
      currency: view.site.currency,
    }));
  },
});

interface NamedGoal extends Goal {
  name: string;
  anyOf: Filter[][];
}

const savedGoals = ({ definitions, hidden }: ReadableSite): NamedGoal[] =>
  shownDefinitions('goal', definitions, hidden).map(({ name, body }) => ({
    name,
    ...body,
    anyOf: conditionsOf('goal', body, definitions),
  }));

const newGoal = (conditions: string, view: ReadableSite): NamedGoal => {
  const anyOf: Filter[][] = readAlternatives(conditions, 'conditions');
  refuseHiddenFilters(view, anyOf.flat());
  return { name: '', conditions, value: null, anyOf };
};

const goalJson = (
  { name, conditions, value }: NamedGoal,
  counts: GoalCounts,
  everybody: number,
  { hidden }: ReadableSite,
): object => {
  const { conversions, visits, visitors, revenue, otherRevenue } = counts;
  const counted = { conversions, visits, visitors, conversionRate: ratio(visitors * 100, everybody) };
  if (hidden.has('revenue')) return { name, conditions, value: null, ...counted, revenue: null, totalValue: null };
  const totalValue = conversions * (value ?? 0);
  return { name, conditions, value, ...counted, revenue, ...otherRevenueOf(otherRevenue), totalValue };
};

export const segments = endpoint({
  summary: 'The segments of the site: filters under a name',
  fields: [],
  response: object({ data: list(object({ name: text, filters: described(text, 'As in an address') })) }),
  plan: (_, { definitions, hidden }) => ({
    slices: [],
    render: () => ({
      data: shownDefinitions('segment', definitions, hidden).map(({ name, body }) => ({ name, ...body })),
    }),
  }),
});

export const funnels = endpoint({
  summary: 'The funnels of the site',
  fields: [],
  part: 'funnels',
  response: object({
    data: list(object({ name: text, question: described(text, 'The parameters of a question about it') })),
  }),
  plan: (_, view) => ({
    slices: [],
    render: () => ({ data: shownFunnels(view).map(({ name, body }) => ({ name, ...body })) }),
  }),
});
