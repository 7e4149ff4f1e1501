/** Holds what the API says of a visit against what its visitor saw. */
import * as assert from 'uvu/assert';
import type { StoredHit } from '../browser/stored.ts';
import type { Framework } from './frameworks.ts';
import type { SeenStep, Visit } from './visits.ts';

/** Of /api/ext: a visit, and one of its hits. */
export interface ApiVisit {
  id: string;
  entryPath: string;
  exitPath: string;
  referrer: string | null;
  utmSource: string | null;
  utmCampaign: string | null;
  pageviews: number;
  bounce: boolean;
}
export interface ApiHit {
  type: string;
  path: string | null;
  query: string | null;
  title: string | null;
  secondsOnPage: number;
}

/** The clock of the page is read before and after what it times. */
const clockMs = 30;

/** How a router in the hash has the path. */
const pathOf = (at: string, isHash: boolean): string =>
  isHash ? (at === '/' ? '/' : `/#${at}`) : new URL(at, 'http://site').pathname;

const queryOf = (at: string, isHash: boolean): string | null =>
  (isHash ? '' : new URL(at, 'http://site').search.slice(1)) || null;

/**
 * A router keeps to one document, until the visitor reloads or comes from elsewhere. It may let one
 * click through while it is busy with the one before.
 */
const checkDocuments = (seen: readonly SeenStep[]): void => {
  const loads = seen.filter(step => step.do === 'load' || step.do === 'reload').length;
  const documents = new Set(seen.map(({ document }) => document)).size;
  assert.ok(documents <= loads + 1, `${documents} documents: nothing is routed in the page`);
};

const lines = (rows: readonly (readonly unknown[])[]): string => rows.map(row => row.join(' ')).join('\n');

/** The pages that were seen, each with all its steps: an anchor is a step on the same page. */
const pagesOf = (seen: readonly SeenStep[]): SeenStep[] => {
  const pages: SeenStep[] = [];
  for (const step of seen) {
    if (step.isAnchor) pages.at(-1)!.leftAt = step.leftAt;
    else pages.push({ ...step });
  }
  return pages;
};

/** Throws where they differ. `hits` are those of the API; `stored` has the same with their milliseconds. */
export const checkVisit = (
  { source, campaign }: Visit,
  { isHash = false, hasDocuments = false }: Pick<Framework, 'isHash' | 'hasDocuments'>,
  seen: readonly SeenStep[],
  visits: readonly ApiVisit[],
  hits: readonly ApiHit[],
  stored: readonly StoredHit[],
): void => {
  const pages = pagesOf(seen);
  const views = hits.filter(({ type }) => type === 'pageview');
  assert.is(
    lines(views.map(({ path, query, title }) => [path, query, title])),
    lines(pages.map(({ at, title }) => [pathOf(at, isHash), queryOf(at, isHash), title])),
    'pageviews',
  );
  assert.equal(
    visits.map(({ id: _, entryPath, exitPath, referrer, utmSource, utmCampaign, pageviews, bounce }) => ({
      ...{ entryPath, exitPath, referrer, utmSource, utmCampaign, pageviews, bounce },
    })),
    [
      {
        entryPath: pathOf(pages[0]!.at, isHash),
        exitPath: pathOf(pages.at(-1)!.at, isHash),
        referrer: '127.0.0.3',
        utmSource: source,
        utmCampaign: campaign,
        pageviews: pages.length,
        bounce: pages.length === 1,
      },
    ],
    'visits',
  );
  checkTimes(pages, stored);
  if (!hasDocuments) checkDocuments(seen);
};

/**
 * The time of a page is what the next pageview of the same document, or the hits of its own until
 * then, say. It began between the click that led there and its being there, and ended in the same
 * way.
 */
const checkTimes = (pages: readonly SeenStep[], stored: readonly StoredHit[]): void => {
  const times: number[] = [];
  for (const { type, durationMs } of stored) {
    if (type === 'pageview') {
      if (times.length > 0) times[times.length - 1]! += durationMs;
      times.push(0);
    } else times[times.length - 1]! += durationMs;
  }
  for (const [i, { at, shownAt, leftAt }] of pages.entries()) {
    const least = leftAt - shownAt - clockMs;
    const most = (pages[i + 1]?.shownAt ?? Number.POSITIVE_INFINITY) - (pages[i - 1]?.leftAt ?? 0) + clockMs;
    const ms = times[i]!;
    assert.ok(ms >= least && ms <= most, `page ${i + 1}, ${at}: ${ms} ms, and not ${least} to ${most}`);
  }
};
