/** Exports of other products that count by day, as each writes them, and what of a day each can tell. */

import { directName } from '../../src/model/visit-fields.ts';
import { zipOf } from '../import/zip-file.ts';
import type { NaiveSum } from '../naive-sums.ts';
import { csv, lines } from './formats.ts';
import type { SaidSums } from './people.ts';

/** Counts of days, of which products tell more or less. */
export type SumDay = SaidSums & { date: string };

export interface SumFormat {
  name: string;
  /** Whether its days are those of UTC, and not of the site's zone. */
  isUtc: boolean;
  /** What of a day it tells. */
  told(day: SaidSums): SaidSums;
  /** `day` is as it is told. */
  write(days: readonly SumDay[]): Buffer;
}

const cellsOf = (names: readonly (keyof NaiveSum)[], sum: NaiveSum): string[] =>
  names.map(name => String(name === 'visitMs' ? sum.visitMs! / 1000 : sum[name]));
const mapped = (of: Map<string, NaiveSum>, change: (sum: NaiveSum) => NaiveSum): Map<string, NaiveSum> =>
  new Map([...of].map(([value, sum]) => [value, change(sum)]));

const plausibleSums: SumFormat = {
  ...{ name: 'plausible', isUtc: false },
  told: day => day,
  write(days) {
    const columns = ['visitors', 'pageviews', 'bounces', 'visits', 'visit_duration'];
    const cells = (sum: NaiveSum) => cellsOf(['visitors', 'pageviews', 'bounces', 'visits', 'visitMs'], sum);
    const tableOf = (name: string, by: 'path' | 'browser') =>
      csv([
        ['date', name, ...columns],
        ...days.flatMap(day => [...day[by]].map(([value, sum]) => [day.date, value, ...cells(sum)])),
      ]);
    return zipOf({
      'imported_visitors_20260101_20261231.csv': csv([
        ['date', ...columns],
        ...days.map(({ date, whole }) => [date, ...cells(whole)]),
      ]),
      'imported_pages_20260101_20261231.csv': tableOf('page', 'path'),
      'imported_browsers_20260101_20261231.csv': tableOf('browser', 'browser'),
    });
  },
};

const untold: NaiveSum = { visitors: null, visits: null, bounces: null, visitMs: null, pageviews: null, events: null };

/** It counts by page and hour; of browsers and sources it knows page views. All hits come directly. */
const goatcounterSums: SumFormat = {
  ...{ name: 'goatcounter-json', isUtc: true },
  told({ whole, path, browser }) {
    const pages = mapped(path.size === 0 ? new Map([['/', whole]]) : path, ({ visitors }) => {
      return { ...untold, visitors, pageviews: visitors };
    });
    const pageviews = [...pages.values()].reduce((sum, of) => sum + of.pageviews!, 0);
    const browsers = mapped(browser, ({ visitors }) => ({ ...untold, pageviews: visitors }));
    const referrer = new Map([[directName, { ...untold, pageviews }]]);
    return { whole: { ...untold, pageviews, events: 0 }, path: pages, browser: browsers, referrer };
  },
  write(days) {
    const named = (by: 'path' | 'browser') => [...new Set(days.flatMap(day => [...day[by].keys()]))];
    const [paths, browsers] = [named('path'), named('browser')];
    const idIn = (names: readonly string[], name: string): number => names.indexOf(name) + 1;
    return zipOf({
      'paths.jsonl': lines(paths.map(path => ({ id: idIn(paths, path), path, title: '' }))),
      'refs.jsonl': lines([{ id: 1, ref: '', ref_scheme: 'o' }]),
      'browsers.jsonl': lines(browsers.map(name => ({ id: idIn(browsers, name), name, version: '1' }))),
      'hit_stats.jsonl': lines(
        days.flatMap(({ date, path }) =>
          [...path].map(([name, { pageviews }], i) => {
            const hour = `${date}T${String((7 * i) % 24).padStart(2, '0')}:00:00Z`;
            return { hour, path_id: idIn(paths, name), ref_id: 1, count: pageviews };
          }),
        ),
      ),
      'browser_stats.jsonl': lines(
        days.flatMap(({ date: day, browser }) =>
          [...browser].map(([name, { pageviews: count }]) => {
            return { day, path_id: 1, browser_id: idIn(browsers, name), count };
          }),
        ),
      ),
    });
  },
};

/** Tables that somebody chose: no events, views of pages without users, and nothing of browsers. */
const ga4Sums: SumFormat = {
  ...{ name: 'ga4', isUtc: false },
  told: ({ whole, path }) => ({
    whole: { ...whole, events: null },
    path: mapped(path, ({ pageviews, visits }) => ({ ...untold, pageviews, visits })),
    browser: new Map(),
    referrer: new Map(),
  }),
  write(days) {
    const engaged = ({ visits, bounces }: NaiveSum) => String(visits! - bounces!);
    return zipOf({
      'days.csv': csv([
        ['date', 'totalUsers', 'screenPageViews', 'sessions', 'userEngagementDuration', 'engagedSessions'],
        ...days.map(({ date, whole }) => [
          date.replaceAll('-', ''),
          ...cellsOf(['visitors', 'pageviews', 'visits', 'visitMs'], whole),
          engaged(whole),
        ]),
      ]),
      'pages.csv': csv([
        ['date', 'pagePath', 'screenPageViews', 'sessions'],
        ...days.flatMap(({ date, path }) =>
          [...path].map(([value, sum]) => [date.replaceAll('-', ''), value, ...cellsOf(['pageviews', 'visits'], sum)]),
        ),
      ]),
    });
  },
};

export const sumFormats: readonly SumFormat[] = [plausibleSums, goatcounterSums, ga4Sums];
