/**
 * What days contribute that were summed before (reports/kept-sums.ts). The thread that answers a
 * question decides once which days these are, since the parts of a day have one sum.
 */
import { dayMs } from '../model/time.ts';
import { version as software } from '../package-root.ts';
import type { Database } from '../store/database.ts';
import { bytesOf } from '../store/day/byte-cache.ts';
import type { DayOutline } from '../store/day/day-reader.ts';
import { daySums } from '../store/day/day-sums.ts';
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

export const summedDays = (db: Database, foundBytesMax: number): SummedDays => {
  const { between } = daySums(db);
  return async ({ context: { query }, slices, days }, pace) => {
    const found: Contributions = slices.map(({ plans }) => plans.map(() => []));
    const all = (query.rollup === undefined ? byDay(days) : []).map(parts => {
      const { day } = parts[0]!;
      return { day, key: `${day} ${summedVersion(parts, query)}` };
    });
    const answered = new Map<number, number[]>();
    let [question, bytes, isFull] = [-1, 0, false];

    const readSome = (some: typeof all, sums: KeptSums, names: string[], into: DayPartial[]): void => {
      const [first, last] = [some[0]!.day, some.at(-1)!.day];
      const rows = names.map(
        name => new Map(between(query.siteId, name, first, last).map(row => [`${row.day} ${row.version}`, row.data])),
      );
      for (const { day, key } of some) {
        const data = rows.flatMap(ofName => ofName.get(key) ?? []);
        const partial = data.length === rows.length ? sums.read(data, day) : null;
        if (partial === null) continue;
        const more = bytesOf(partial);
        // A scan of the other days is spread over all threads.
        isFull = bytes + more > foundBytesMax;
        if (isFull) return;
        into.push(partial);
        bytes += more;
        answered.set(day, [...(answered.get(day) ?? []), question]);
      }
    };

    for (const [i, { slice, plans }] of slices.entries()) {
      const whole = slice.imports === undefined ? all.filter(of => isWhole(of, slice)) : [];
      for (const [n, plan] of plans.entries()) {
        question++;
        const { sums, filters } = underFilters(plan.sums, slice.filters);
        for (let at = 0; sums !== undefined && !isFull && at < whole.length; at += daysAtOnce) {
          await giveWay(pace);
          readSome(whole.slice(at, at + daysAtOnce), sums, sums.names(filters), found[i]![n]!);
        }
      }
    }
    return { found, rest: days.flatMap(of => withLeft(of, slices, answered.get(of.day) ?? [])) };
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
