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

/**
 * What several sources have, as one site: a visit goes on that begins while its visitor's one before does, or soon after, and it
 * is as the first of them says.
 */
export const naiveUnited = (sources: readonly NaiveSite[]): NaiveSite => {
  const visits = sources.flatMap(source =>
    [...new Set(source.map(({ visit }) => visit))].flatMap(visit => {
      const hits = source.filter(hit => hit.visit === visit);
      const times = hits.map(({ at }) => at);
      return hits.some(counts) ? [{ visit, hits, from: Math.min(...times), to: Math.max(...times) }] : [];
    }),
  );
  const latest = new Map<string, { visit: NaiveVisit; to: number }>();
  const united = visits
    .sort((a, b) => a.from - b.from)
    .flatMap(({ visit, hits, from, to }) => {
      const before = latest.get(whoOf(visit));
      const goesOn = before !== undefined && from - before.to <= visitIdleMs;
      const into = goesOn ? before.visit : { ...visit };
      latest.set(whoOf(visit), { visit: into, to: goesOn ? Math.max(before.to, to) : to });
      return hits.map(hit => ({ ...hit, visit: into }));
    });
  return united.sort((a, b) => a.at - b.at);
};
