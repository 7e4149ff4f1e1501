/** One visit's hits in their order, with everything that each carried. */
import { type PageField, pageFields } from '../../model/columns.ts';
import { type HitType, hitTypeName, scrollOf, secondsOf, valueText } from '../../model/hit.ts';
import type { Day, TextName } from '../../store/day/day.ts';
import { lookUp } from '../../store/day/look-up.ts';
import type { QueryContext } from '../context.ts';
import type { QuestionOf, VisitHit } from '../query.ts';
import { compareText } from '../rows/top-rows.ts';
import { textsAt, visitIds } from '../rows/visit-row.ts';
import type { DayIndex } from '../scan/day-index.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';

interface VisitHitsPartial {
  day: number;
  hits: VisitHit[];
}

export const planVisitHits = (
  { id }: QuestionOf<'visitHits'>,
  context: QueryContext,
): QuestionPlan<VisitHitsPartial> => ({
  key: null,
  scan({ day, index, visits }) {
    const { startedAt, id: idOf } = visitIds(day);
    const started = Number(id.split('-')[2]);
    const visit = visits().find(each => startedAt(each) === started && idOf(each) === id);
    return visit === undefined ? null : { day: day.day, hits: readHits(day, index, visit, started, context) };
  },
  merge: withoutVisitors(partials => ({ kind: 'visitHits', hits: partials.flatMap(({ hits }) => hits) })),
});

const readHits = (day: Day, index: DayIndex, visit: number, started: number, context: QueryContext): VisitHit[] => {
  const from = index.hitsFrom()[visit]!;
  const textOf = (name: TextName): ((row: number) => string | null) => textsAt(day, name, context);
  const [time, type] = [lookUp(day.keptNumbers('time')), lookUp(day.keptNumbers('type'))];
  const [secondsOnPage, scroll] = [lookUp(day.keptNumbers('secondsOnPage')), lookUp(day.keptNumbers('scroll'))];
  const page = pageFields.map(name => [name, textOf(name)] as const);
  const hits = Array.from({ length: index.hitsOf()[visit]! }, (_, i): VisitHit => {
    const row = from + i;
    return {
      at: started + time(row),
      type: hitTypeName(type(row)) as HitType,
      ...(Object.fromEntries(page.map(([name, text]) => [name, text(row)])) as Record<PageField, string | null>),
      secondsOnPage: secondsOf(secondsOnPage(row), scroll(row)),
      scroll: scrollOf(scroll(row)),
      revenue: null,
      properties: [],
    };
  });
  const hitOf = (number: number): VisitHit | undefined => hits[number - from];

  const [amounts, currency] = [day.numbers('revenueAmount'), textOf('revenueCurrency')];
  day.numbers('revenueHit').forEach((number, row) => {
    const hit = hitOf(number);
    if (hit !== undefined) hit.revenue = { amount: amounts[row]!, currency: currency(row) ?? '' };
  });
  const [types, values] = [day.numbers('propertyType'), day.numbers('propertyNumber')];
  const [key, value] = [textOf('propertyKey'), textOf('propertyText')];
  day.numbers('propertyHit').forEach((number, row) => {
    const properties = hitOf(number)?.properties;
    properties?.push({ key: key(row) ?? '', value: valueText(types[row]!, value(row), values[row]!) });
  });
  // Rows are in the order of their keys' ids, which differs from one database to another.
  for (const { properties } of hits) properties.sort((a, b) => compareText(a.key, b.key));
  return hits;
};
