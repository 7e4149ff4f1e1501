/**
 * The oracle's visits: cut from hits as they came, and made one where several sources have hits of one visitor. Written from
 * docs/collecting.md ("Visits") and docs/importing.md ("Visits and visitors"); slow and obvious, as test/naive.ts.
 */
import { visitIdleMs } from '../src/model/limits.ts';
import type { NaiveHit, NaiveSite, NaiveVisit } from './naive.ts';

/** Whose a visit is: a visitor with a cookie is the same in every visit, any other one on its day. */
const whoOf = ({ day, visitor, persistent }: NaiveVisit): string => `${day} ${persistent ? 'cookie ' : ''}${visitor}`;
const counts = ({ type }: NaiveHit): boolean => type !== 'identify' && type !== 'duration';

/**
 * Hits of one source, in the order of time, of which each has a visit of its own: as a visit would be that begins with it. A
 * visitor's hits with gaps of at most half an hour inside a UTC day become one visit, which is as its first hit says.
 */
export const naiveCut = (arrivals: NaiveSite): NaiveSite => {
  const latest = new Map<string, NaiveHit>();
  return arrivals.map(arrival => {
    const before = latest.get(whoOf(arrival.visit));
    const goesOn = before !== undefined && arrival.at - before.at <= visitIdleMs;
    const hit = { ...arrival, visit: goesOn ? before.visit : { ...arrival.visit } };
    latest.set(whoOf(hit.visit), hit);
    return hit;
  });
};

/** The hits of a source's visits. */
const partsOf = (source: NaiveSite): NaiveSite[] =>
  [...new Set(source.map(({ visit }) => visit))].map(visit => source.filter(hit => hit.visit === visit));

/** The site's visits of marks alone, and all others. */
export const naiveMarks = (site: NaiveSite): { marks: NaiveSite; others: NaiveSite } => {
  const [marks, others]: [NaiveSite, NaiveSite] = [[], []];
  for (const part of partsOf(site)) (part.some(counts) ? others : marks).push(...part);
  return { marks, others };
};

/**
 * What several sources have, as one site: a visit goes on that begins while its visitor's one before does, or soon after, and it
 * is as the first of them says. Where several say who it was, the one that began last counts.
 */
export const naiveUnited = (sources: readonly NaiveSite[]): NaiveSite => {
  const parts = sources.flatMap(partsOf).map(hits => {
    const times = hits.map(({ at }) => at);
    return { hits, from: Math.min(...times), to: Math.max(...times) };
  });
  const visits: { visit: NaiveVisit; to: number; hits: NaiveSite }[] = [];
  for (const { hits, from, to } of parts.sort((a, b) => a.from - b.from)) {
    const { visit } = hits[0]!;
    const before = visits.findLast(one => whoOf(one.visit) === whoOf(visit));
    if (before === undefined || from - before.to > visitIdleMs) visits.push({ visit: { ...visit }, to, hits });
    else {
      const isSaid = hits.some(({ identity }) => identity !== null);
      before.hits = [...(isSaid ? before.hits.map(hit => ({ ...hit, identity: null })) : before.hits), ...hits];
      before.to = Math.max(before.to, to);
    }
  }
  return visits
    .flatMap(({ visit, hits }) => (hits.some(counts) ? hits.map(hit => ({ ...hit, visit })) : []))
    .sort((a, b) => a.at - b.at);
};
