/**
 * What days contribute that were summed before (questions/kept-sums.ts). The thread that answers a
 * question decides once which days these are, since the parts of a day have one sum.
 */
import { dayMs } from '../model/time.ts';
import { version as software } from '../package-root.ts';
import type { Database } from '../store/database.ts';
import { bytesOf } from '../store/day/byte-cache.ts';
import type { DayOutline } from '../store/day/day-reader.ts';
import { createRoom, daySums } from '../store/day/day-sums.ts';
import { partName, wholeDay } from '../store/day/part.ts';
import { byDay } from '../store/day/united-days.ts';
import { giveWay, type Pace } from './pace.ts';
import type { Filter, Query, Slice } from './query.ts';
import type { DayPartial, KeptSums } from './questions/plan.ts';
import { type AskedPart, type Contributions, isWithin, type Prepared } from './scanner.ts';

/** What days contribute, as far as it fits, and what of them is left for a scan. */
export type SummedDays = (prepared: Prepared, pace: Pace) => Promise<{ found: Contributions; rest: AskedPart[] }>;

/**
 * Names what was summed of a day: its hits with revenue of a currency, and behind ` without ` the
 * ids of the rules that may leave hits out. Another version of Daybook may work out other channels.
 * Null while the day is open.
 */
export const summedVersion = (parts: readonly DayOutline[], { currency }: Pick<Query, 'currency'>): string | null => {
  if (parts.some(({ sealed }) => !sealed)) return null;
  const whole = parts.map(({ part: { rules: _, ...part }, ...of }) => ({ ...of, part: { ...part, ...wholeDay } }));
  const names = whole.map(of => partName(of, of.sealed ? of.version : 0));
  // A rule is about a whole day.
  return `${[...new Set(names)].join()} ${software} ${currency} without ${parts[0]?.part.rules ?? ''}`;
};

/** What of a version does not depend on rules, and the ids of these. */
export const partsOfVersion = (version: string): { hits: string; rules: number[] } => {
  const [hits = '', ids = ''] = version.split(' without ');
  return { hits, rules: numbersIn(ids) };
};

/** Of numbers divided by commas. */
export const numbersIn = (text: string): number[] => (text === '' ? [] : text.split(',').map(Number));

/** Rows of so many days are read at a time. */
const daysAtOnce = 32;
/** They are added up at the latest when they take this part of the bytes that a query may find. */
const roomPart = 1 / 4;

export const summedDays = (db: Database, foundBytesMax: number): SummedDays => {
  const { between } = daySums(db);
  return async ({ context: { query }, slices, days }, pace) => {
    const room = createRoom();
    const found: Contributions = slices.map(({ plans }) => plans.map(() => []));
    const all = (query.rollup === undefined ? byDay(days) : []).map(parts => ({
      day: parts[0]!.day,
      version: summedVersion(parts, query),
      /** The questions that its sums answer. */
      answered: [] as number[],
    }));
    let [question, bytes, isFull] = [-1, 0, false];

    const addUp = async (some: DayPartial[], sums: KeptSums, into: DayPartial[]): Promise<void> => {
      const sum = await sums.addUp([...into, ...some], pace);
      room.clear();
      bytes += bytesOf(sum) - bytesOf(into);
      // A scan of the other days is spread over all threads.
      isFull = bytes > foundBytesMax;
      if (!isFull) into.splice(0, into.length, sum);
    };
    const readSome = async (some: typeof all, sums: KeptSums, names: string[], into: DayPartial[]): Promise<void> => {
      const [first, last] = [some[0]!.day, some.at(-1)!.day];
      const rows = names.map(name => new Map(between(query.siteId, name, first, last).map(row => [row.day, row])));
      room.clear();
      let [partials, told]: [DayPartial[], typeof all] = [[], []];
      for (const of of some) {
        const ofDay = rows.flatMap(ofName => ofName.get(of.day) ?? []);
        const isKept = ofDay.length === rows.length && ofDay.every(({ version }) => version === of.version);
        const data = ofDay.map(row => row.data);
        const partial = isKept ? sums.read(data, of.day, room) : null;
        if (partial !== null) {
          partials.push(partial);
          told.push(of);
        }
        if (partials.length === 0 || (of !== some.at(-1) && room.lent() < roomPart * foundBytesMax)) continue;
        await addUp(partials, sums, into);
        if (isFull) return;
        for (const { answered } of told) answered.push(question);
        [partials, told] = [[], []];
      }
    };

    for (const [i, { slice, plans }] of slices.entries()) {
      const whole = slice.imports === undefined ? all.filter(of => isWhole(of, slice)) : [];
      for (const [n, plan] of plans.entries()) {
        question++;
        const { sums, filters } = underFilters(plan.sums, slice.filters);
        for (let at = 0; sums !== undefined && !isFull && at < whole.length; at += daysAtOnce) {
          await giveWay(pace);
          await readSome(whole.slice(at, at + daysAtOnce), sums, sums.names(filters), found[i]![n]!);
        }
      }
    }
    const answeredOf = new Map(all.map(({ day, answered }) => [day, answered]));
    return { found, rest: days.flatMap(of => withLeft(of, slices, answeredOf.get(of.day) ?? [])) };
  };
};

/** Whether a slice holds a day whole. */
const isWhole = ({ day }: { day: number }, { from, to }: Slice): boolean =>
  day * dayMs >= from && (day + 1) * dayMs <= to;

/** The sums under those filters that only leave out groups, and the other filters. */
const underFilters = (
  sums: KeptSums | undefined,
  filters: readonly Filter[],
): { sums: KeptSums | undefined; filters: Filter[] } => {
  let under = sums;
  const others = filters.filter(filter => {
    const narrower = under?.under?.(filter) ?? null;
    under = narrower ?? under;
    return narrower === null;
  });
  return { sums: under, filters: others };
};

/** A part of a day, with the questions that are answered; nothing where all are. */
const withLeft = (of: DayOutline, slices: Prepared['slices'], summed: readonly number[]): AskedPart[] => {
  const wants = slices.flatMap(({ slice, plans }) =>
    plans.map(({ scan }) => scan !== undefined && isWithin(of, slice)),
  );
  const { day, part } = of;
  if (!wants.some((isWanted, question) => isWanted && !summed.includes(question))) return [];
  return [summed.length === 0 ? { day, part } : { day, part, summed }];
};
