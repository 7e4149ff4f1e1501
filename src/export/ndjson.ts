/**
 * Visits and records as lines of NDJSON that `daybook import` reads. What is stored of a page's
 * time, and of when a visit ended, was told by hits that are not kept: lines of type `duration`
 * stand for them. How hits ended has lines of its own, so lines of hits are not counted again.
 */

import type { ExportedVisit, StoredHit } from '../model/exported-visit.ts';
import { visitIdleMs } from '../model/limits.ts';
import type { PastRecord } from '../model/past-hit.ts';
import type { Site } from '../model/site.ts';
import { isoTime, utcDayOf } from '../model/time.ts';
import { visitorProof } from '../model/visitor-proof.ts';

/** What each line says of the visit it belongs to. */
interface VisitHead {
  visitor: string;
  proof: string | undefined;
  counted: true;
  [text: string]: string | boolean | null | undefined;
}

export const recordLine = ({ at, ...record }: PastRecord): string =>
  `${JSON.stringify({ at: isoTime(at), ...record })}\n`;

export const ndjsonOf = (site: Pick<Site, 'id' | 'visitorKey'>, visit: ExportedVisit): string => {
  const { visitor, isPersistent, from } = visit;
  const proof = visitorProof(site, isPersistent ? null : utcDayOf(from), visitor);
  const head: VisitHead = { visitor, proof, counted: true, ...visit.texts };
  const size = visit.width > 0 ? { w: visit.width, h: visit.height } : {};
  const lines: string[] = [];
  let heardAt = visit.from;
  const add = (at: number, hit: Record<string, unknown>): void => {
    // Hits that are not kept may have held the visit together in between.
    while (at - heardAt > visitIdleMs) {
      const { u } = hit;
      add(heardAt + visitIdleMs, { t: 'duration', u, d: 0 });
    }
    heardAt = at;
    lines.push(`${JSON.stringify({ at: isoTime(at), ...head, hit: { ...hit, ...size } })}\n`);
  };
  const [firstHit] = visit.hits;
  if (firstHit !== undefined && firstHit.at > visit.from)
    add(visit.from, { t: 'duration', u: addressOf(firstHit), d: 0 });
  /** The page whose time is not told yet. */
  let page: StoredHit | undefined;
  let toldAt = visit.from;
  const tell = (at: number): void => {
    if (page === undefined) return;
    const { secondsOnPage, scroll } = page;
    if (secondsOnPage !== null) {
      // No time at all would tell nothing.
      const d = secondsOnPage * 1000 || 1;
      add(at, { t: 'duration', u: addressOf(page), d, ...(scroll !== null && { sc: scroll }) });
    }
    page = undefined;
  };
  for (const hit of visit.hits) {
    if (hit.type === 'pageview') {
      tell(hit.at);
      page = hit;
    }
    add(hit.at, wireHit(hit));
    toldAt = hit.at;
  }
  const last = visit.hits.at(-1);
  if (visit.traits !== null && last !== undefined)
    add(toldAt, { t: 'identify', u: addressOf(last), p: JSON.parse(visit.traits) as object });
  const count = lines.length;
  tell(visit.to);
  if (lines.length === count && visit.to > toldAt && last !== undefined)
    add(visit.to, { t: 'duration', u: addressOf(last), d: 0 });
  return lines.join('');
};

const wireHit = (hit: StoredHit): Record<string, unknown> => ({
  t: hit.type,
  u: addressOf(hit),
  ...(hit.page.title !== null && { ti: hit.page.title }),
  ...(hit.page.event !== null && { n: hit.page.event }),
  ...(hit.revenue !== null && { v: hit.revenue.amount, c: hit.revenue.currency }),
  ...(hit.properties.length > 0 && { p: Object.fromEntries(hit.properties) }),
});

/**
 * A path may end with a fragment, which stands behind the query in an address. One that is no path
 * stands for new ones that a flood brought.
 */
const addressOf = ({ page: { hostname, path, query } }: StoredHit): string => {
  const [before, ...fragment] = (path ?? '/').split('#');
  const search = query === null ? '' : `?${query}`;
  const hash = fragment.length === 0 ? '' : `#${fragment.join('#')}`;
  return `https://${hostname ?? 'unknown.invalid'}${before!.startsWith('/') ? '' : '/'}${before}${search}${hash}`;
};
