/** One visit's hits in their order, with all that each carried. */
import { type HitType, hitTypeName } from '../../model/hit.ts';
import type { Day, TextName } from '../../store/day/day.ts';
import type { DayIndex } from '../day-index.ts';
import type { Plan, PlanContext } from '../plan.ts';
import { valueText } from '../property-text.ts';
import type { VisitHit } from '../query.ts';
import type { Selection } from '../selection.ts';
import { visitReader } from '../visit-row.ts';

interface VisitHitsPartial {
  day: number;
  hits: VisitHit[];
}

export const planVisitHits = (id: string, context: PlanContext): Plan<VisitHitsPartial> => ({
  key: null,
  scan({ day, index, visits }: Selection) {
    const reader = visitReader(day, index, context);
    const started = Number(id.split('-')[2]);
    const visit = visits.find(each => reader.startedAt(each) === started && reader.id(each) === id);
    return visit === undefined ? null : { day: day.day, hits: hitsOf(day, index, visit, started, context) };
  },
  answer: partials => ({ kind: 'visitHits', hits: partials.flatMap(({ hits }) => hits) }),
});

const hitsOf = (
  day: Day,
  { hitsFrom }: DayIndex,
  visit: number,
  started: number,
  { text }: PlanContext,
): VisitHit[] => {
  const [from, to] = [hitsFrom[visit]!, hitsFrom[visit + 1]!];
  const textAt = (name: TextName, row: number): string | null => {
    const { codes, dictionary } = day.texts(name);
    return text(dictionary[codes[row]!]!);
  };
  const hits = Array.from(
    { length: to - from },
    (_, i): VisitHit => ({
      at: started + day.numbers('time')[from + i]!,
      type: hitTypeName(day.numbers('type')[from + i]!) as HitType,
      path: textAt('path', from + i),
      hostname: textAt('hostname', from + i),
      title: textAt('title', from + i),
      query: textAt('query', from + i),
      event: textAt('event', from + i),
      secondsOnPage: day.numbers('secondsOnPage')[from + i]!,
      revenue: null,
      properties: [],
    }),
  );
  const hitOf = (number: number): VisitHit | undefined => hits[number - from];

  day.numbers('revenueHit').forEach((number, row) => {
    const hit = hitOf(number);
    if (hit === undefined) return;
    hit.revenue = { amount: day.numbers('revenueAmount')[row]!, currency: textAt('revenueCurrency', row) ?? '' };
  });
  const [types, numbers] = [day.numbers('propertyType'), day.numbers('propertyNumber')];
  day.numbers('propertyHit').forEach((number, row) => {
    const hit = hitOf(number);
    if (hit === undefined) return;
    const value = valueText(types[row]!, textAt('propertyText', row), numbers[row]!);
    hit.properties.push({ key: textAt('propertyKey', row) ?? '', value });
  });
  return hits;
};
