/**
 * One day made of what several sources have of it: what was collected, and what imports brought. A
 * visitor whom more than one of them knows is one visitor, and visits that follow each other go on,
 * as if all hits had come one way.
 */
import { visitIdleMs } from '../../model/limits.ts';
import { type ComposedDay, composeDay, dayOf, idsOf, timesOf } from './compose-day.ts';
import type { Day } from './day.ts';
import { gather, joined, rowsBetween, rowsWhere } from './gather.ts';
import { sortRows } from './open/sort.ts';
import type { Part } from './part.ts';

/** The visitors of a part, as a day. Sources may hold visitors of other parts, too. */
export const uniteDays = (sources: readonly Day[], part: Part): Day => dayOf(unite(sources, part).day);

/** The same, and of each of its hits the row in the sources, where rows are counted through. */
export const unite = (sources: readonly Day[], part: Part): { day: ComposedDay; rows: Uint32Array } => {
  const before = visitsOf(sources, part);
  const { order, firsts, visitOf, ended, hitsOf } = withHits(cut(before), before);
  const times = joined(sources.map(timesOf));
  const hits = hitsInOrder(times, before, visitOf);
  const [visits, started] = [gather(before.rows, firsts), gather(before.started, firsts)];
  const day = composeDay(sources, {
    visits: () => visits,
    identities: () => lastSaid(sources, before.rows, visitOf, order, visits),
    spans: () => ({ started, ended }),
    hitsOf: () => hitsOf,
    hits: () => hits,
    hashVisits: () => firsts.reduce((sum, first) => sum + (before.lasts[first]! ^ 1), 0),
    times: () => times,
  });
  return { day: { ...day, facts: () => ({ ...day.facts(), part }) }, rows: hits };
};

/** Visits as the sources have them, in the order of the sources. Rows are counted through. */
interface Visits {
  rows: Uint32Array;
  /** 0 in hash mode, 1 in cookie mode. */
  lasts: Uint32Array;
  high: Uint32Array;
  low: Uint32Array;
  started: Uint32Array;
  ended: Uint32Array;
  /** The row of its first hit. */
  hitsFrom: Uint32Array;
  hitsOf: Uint32Array;
}

const visitsOf = (sources: readonly Day[], { number, of }: Part): Visits => {
  const all = sources.reduce((sum, { visits }) => sum + visits, 0);
  const names = ['rows', 'lasts', 'high', 'low', 'started', 'ended', 'hitsFrom', 'hitsOf'] as const;
  const found = Object.fromEntries(names.map(name => [name, new Uint32Array(all)])) as unknown as Visits;
  let [count, row, hit] = [0, 0, 0];
  for (const day of sources) {
    const hashes = day.hashes();
    const [started, duration, hits] = [day.numbers('started'), day.numbers('duration'), day.numbers('hits')];
    for (let visit = 0; visit < day.visits; visit++, row++) {
      const high = Number(hashes[visit]! >> 32n);
      if (Math.floor((high * of) / 2 ** 32) === number) {
        found.rows[count] = row;
        found.lasts[count] = visit < day.hashVisits ? 0 : 1;
        found.high[count] = high;
        found.low[count] = Number(hashes[visit]! & 0xffffffffn);
        found.started[count] = started[visit]!;
        found.ended[count] = started[visit]! + duration[visit]!;
        found.hitsFrom[count] = hit;
        found.hitsOf[count++] = hits[visit]!;
      }
      hit += hits[visit]!;
    }
  }
  for (const name of names) found[name] = found[name].subarray(0, count);
  return found;
};

interface Cut {
  /** Those before, by visitor and time. */
  order: Uint32Array;
  /** Of each visit, in its order: the first of those before that became it. */
  firsts: Uint32Array;
  ended: Uint32Array;
  /** The visit that each of those before became. */
  visitOf: Uint32Array;
}

/** Has a visit go on that begins while its visitor's one before does, or soon after. */
const cut = ({ lasts, high, low, started, ended }: Visits): Cut => {
  const order = sortRows(lasts.length, [lasts, high, low, started]);
  const made: Cut = {
    order,
    firsts: new Uint32Array(lasts.length),
    ended: new Uint32Array(lasts.length),
    visitOf: new Uint32Array(lasts.length),
  };
  let visit = -1;
  let last = -1;
  for (const next of order) {
    const isOfSame = last >= 0 && lasts[next] === lasts[last] && high[next] === high[last] && low[next] === low[last];
    if (!isOfSame || started[next]! - made.ended[visit]! > visitIdleMs) made.firsts[++visit] = next;
    made.ended[visit] = Math.max(made.ended[visit]!, ended[next]!);
    made.visitOf[next] = visit;
    last = next;
  }
  return { ...made, firsts: made.firsts.subarray(0, visit + 1), ended: made.ended.subarray(0, visit + 1) };
};

/** Without visits of marks alone, whichever way they came: their rows become those of `noVisit`. */
const withHits = ({ order, firsts, ended, visitOf }: Cut, before: Visits): Cut & { hitsOf: Uint32Array } => {
  const hitsOf = new Uint32Array(firsts.length);
  for (const [i, visit] of visitOf.entries()) hitsOf[visit]! += before.hitsOf[i]!;
  const left = rowsWhere(rowsBetween(0, firsts.length), hitsOf, hits => hits > 0);
  const become = new Uint32Array(firsts.length).fill(noVisit);
  left.forEach((visit, i) => {
    become[visit] = i;
  });
  const [firstsLeft, endedLeft, hitsLeft] = [firsts, ended, hitsOf].map(of => gather(of, left)) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  return { order, firsts: firstsLeft, ended: endedLeft, hitsOf: hitsLeft, visitOf: gather(become, visitOf) };
};
const noVisit = 0xffffffff;

/** Of each visit, the last row that tells who the visitor is; `visits` has its first row. */
const lastSaid = (
  sources: readonly Day[],
  rows: Uint32Array,
  visitOf: Uint32Array,
  order: Uint32Array,
  visits: Uint32Array,
): Uint32Array => {
  const traits = idsOf(sources, 'traits');
  const said = visits.slice();
  for (const i of order) if (visitOf[i] !== noVisit && traits[rows[i]!] !== 0) said[visitOf[i]!] = rows[i]!;
  return said;
};

/** The rows of all hits, visit by visit in the order of time. */
const hitsInOrder = (times: Uint32Array, { hitsFrom, hitsOf }: Visits, visitOf: Uint32Array): Uint32Array => {
  const rows = new Uint32Array(hitsOf.reduce((sum, hits) => sum + hits, 0));
  const visits = new Uint32Array(rows.length);
  let count = 0;
  for (const [i, visit] of visitOf.entries())
    for (let hit = 0; hit < hitsOf[i]!; hit++, count++) {
      rows[count] = hitsFrom[i]! + hit;
      visits[count] = visit;
    }
  return gather(rows, sortRows(rows.length, [visits, gather(times, rows)]));
};
