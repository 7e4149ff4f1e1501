/**
 * The hits of a site as they are stored, day by day and visit by visit, with all texts: what
 * exports to other programs are made of.
 */
import { type PageField, pageFields } from '../model/columns.ts';
import type { ExportedVisit, PropertyValue, StoredHit } from '../model/exported-visit.ts';
import { hitTypeName, instantCode, isTextCode, propertyTypes, scrollOf, secondsOf } from '../model/hit.ts';
import { dayMs, isoTime } from '../model/time.ts';
import { visitTextNames } from '../model/visit-fields.ts';
import type { Day } from '../store/day/day.ts';
import type { DayReader } from '../store/day/day-reader.ts';

/**
 * The visits of a part of a day, all or those that are wanted, in the order of their visitors; hits
 * are in the order of time.
 */
export function* visitsOf(
  day: Day,
  texts: DayReader['texts'],
  isWanted: (visit: number) => boolean = () => true,
): Generator<ExportedVisit> {
  const text = (id: number): string | null => texts.text(day.siteId, id);
  const valuesOf = (name: Parameters<Day['texts']>[0]): ((row: number) => string | null) => {
    const { codes, dictionary } = day.texts(name);
    return row => text(dictionary[codes[row]!]!);
  };
  const hashes = day.hashes();
  const [started, duration, counts] = [day.numbers('started'), day.numbers('duration'), day.numbers('hits')];
  const attributes = visitTextNames.map(name => [name, valuesOf(name)] as const);
  const traits = valuesOf('traits');
  const { codes: screens, dictionary: sizes } = day.texts('screen');
  const hitAt = hitsOf(day, valuesOf, revenuesOf(day, text), propertiesOf(day, text));
  let first = 0;
  for (let visit = 0; visit < day.visits; visit++) {
    if (!isWanted(visit)) {
      first += counts[visit]!;
      continue;
    }
    const from = day.day * dayMs + started[visit]!;
    const size = sizes[screens[visit]!]!;
    const hits: StoredHit[] = [];
    for (const end = first + counts[visit]!; first < end; first++) hits.push(hitAt(first, from));
    yield {
      visitor: hashes[visit]!.toString(16).padStart(16, '0'),
      isPersistent: visit >= day.hashVisits,
      from,
      to: from + duration[visit]!,
      texts: Object.fromEntries(attributes.map(([name, value]) => [name, value(visit)])) as ExportedVisit['texts'],
      width: size >>> 16,
      height: size & 0xffff,
      traits: traits(visit),
      hits,
    };
  }
}

/** What is known of a hit by its position; `from` is when its visit began. */
const hitsOf = (
  day: Day,
  valuesOf: (name: PageField) => (row: number) => string | null,
  revenues: ReadonlyMap<number, StoredHit['revenue']>,
  properties: ReadonlyMap<number, StoredHit['properties']>,
): ((hit: number, from: number) => StoredHit) => {
  const [time, type] = [day.numbers('time'), day.numbers('type')];
  const [seconds, scroll] = [day.numbers('secondsOnPage'), day.numbers('scroll')];
  const pages = pageFields.map(name => [name, valuesOf(name)] as const);
  return (hit, from) => ({
    at: from + time[hit]!,
    type: hitTypeName(type[hit]!)!,
    page: Object.fromEntries(pages.map(([name, value]) => [name, value(hit)])) as StoredHit['page'],
    secondsOnPage: secondsOf(seconds[hit]!, scroll[hit]!),
    scroll: scrollOf(scroll[hit]!),
    revenue: revenues.get(hit) ?? null,
    properties: properties.get(hit) ?? [],
  });
};

const revenuesOf = (day: Day, text: (id: number) => string | null): Map<number, StoredHit['revenue']> => {
  const [hits, amounts] = [day.numbers('revenueHit'), day.numbers('revenueAmount')];
  const { codes, dictionary } = day.texts('revenueCurrency');
  const found = new Map<number, StoredHit['revenue']>();
  for (const [row, hit] of hits.entries())
    found.set(hit, { amount: amounts[row]!, currency: text(dictionary[codes[row]!]!) ?? '' });
  return found;
};

const propertiesOf = (day: Day, text: (id: number) => string | null): Map<number, [string, PropertyValue][]> => {
  const [hits, types, numbers] = [
    day.numbers('propertyHit'),
    day.numbers('propertyType'),
    day.numbers('propertyNumber'),
  ];
  const [keys, values] = [day.texts('propertyKey'), day.texts('propertyText')];
  const found = new Map<number, [string, PropertyValue][]>();
  for (const [row, hit] of hits.entries()) {
    const key = text(keys.dictionary[keys.codes[row]!]!) ?? '';
    const value = text(values.dictionary[values.codes[row]!]!);
    const property: [string, PropertyValue] = [key, propertyValue(types[row]!, value, numbers[row]!)];
    const known = found.get(hit);
    if (known === undefined) found.set(hit, [property]);
    else known.push(property);
  }
  return found;
};

const propertyValue = (code: number, text: string | null, number: number): PropertyValue => {
  if (isTextCode(code)) return text ?? '';
  if (code === propertyTypes.boolean) return number !== 0;
  return code === instantCode ? isoTime(number) : number;
};
