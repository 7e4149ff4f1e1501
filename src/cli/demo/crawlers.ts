/** Crawls that a demo site's server reports. */
import { dayMs } from '../../model/time.ts';
import written from './crawlers.json' with { type: 'json' };
import type { Profile } from './profile.ts';
import type { Chance } from './random.ts';

export interface DemoReport {
  /** UTC milliseconds. */
  at: number;
  /** One report of POST /crawl without its `s`. */
  report: { u: string; ua: string; st: number; m: string };
}

const { missing } = written;
const crawlers = Object.entries(written.userAgents);
const statuses = written.statuses as [status: number, weight: number][];

/** Some reports spread over a day, in the order of time. */
export const crawlReports = (chance: Chance, { domain, kinds }: Profile, day: number, count: number): DemoReport[] => {
  const pages = Object.values(kinds).flatMap(({ host = '', pages }) =>
    pages.map(([[path]]) => `https://${host}${domain}${path.replace('{word}', 'a')}`),
  );
  return Array.from({ length: count }, () => {
    const st = chance.weighted(statuses);
    const u = st === 404 ? `https://${domain}${chance.one(missing)}` : chance.one(pages);
    return { at: day * dayMs + chance.below(dayMs), report: { u, ua: chance.weighted(crawlers), st, m: 'GET' } };
  }).sort((a, b) => a.at - b.at);
};
