/**
 * What people ask a server over HTTP, as paths. `search` is the part of the address that every
 * question of a page shares.
 */
import { comparisonDefault, figureNames } from '../src/dashboard/app/overview/choices.ts';
import { panels } from '../src/dashboard/app/overview/panels.ts';
import { dimensionNames } from '../src/model/dimensions.ts';

const sitesPath = '/api/v1/sites';
const extPath = '/api/ext/sites';
const exportPath = '/api/export';

/** Of what a site is visited for. */
export const filterSets = [
  '',
  '&country=BK',
  '&path=%2Fblog%2Fpage-5',
  '&country=BK&device=mobile&path=%2Fblog%2Fpage-5',
  '&path*=page-12',
  '&country!=BK',
];

/** Every kind of question about hits. */
export const everyQuestion = (site: string, search: string): string[] => [
  ...dimensionNames.map(dimension => `${sitesPath}/${site}/breakdown?dimension=${dimension}&${search}`),
  ...['stats', 'series', 'events', 'realtime'].map(name => `${sitesPath}/${site}/${name}?${search}`),
  ...['', '&series=1', '&property=plan', '&property=seats&histogram=1'].map(
    shape => `${sitesPath}/${site}/events?event=Signup${shape}&${search}`,
  ),
  `${extPath}/${site}/visits?${search}`,
  `${exportPath}/${site}?${search}`,
  `${exportPath}/${site}?mode=sessions&${search}`,
];

/** What is kept beside the hits. */
export const otherQuestions = (site: string, range: string): string[] =>
  ['vitals', 'crawlers', 'outcomes'].map(name => `${extPath}/${site}/${name}?${range}`);

/** What a site's first page asks in one request when it is opened. */
export const pageQuestions = (search: string): string[] => [
  `stats?${search}`,
  `ext/series?metrics=${figureNames}&compare=${comparisonDefault}&${search}`,
  `ext/goals?${search}`,
  ...Object.values(panels).map(({ tabs: [first] }) => `breakdown?dimension=${first}&limit=11&${search}`),
];

export const pageRequest = (site: string, search: string): string => {
  const asked = new URLSearchParams(pageQuestions(search).map(question => ['ask', question]));
  return `${extPath}/${site}/answers?${asked}`;
};
