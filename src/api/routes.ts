/** The paths of the API: the one list that the router and the description at /api/openapi.json share. */
import { breakdown } from './breakdown.ts';
import type { Endpoint } from './endpoint.ts';
import { events } from './events.ts';
import { realtime } from './realtime.ts';
import { crawlers, outcomes, vitals } from './records.ts';
import { series } from './series.ts';
import { stats } from './stats.ts';
import { hits } from './visit-hits.ts';
import { visits } from './visits.ts';

export const openApiPath = '/api/openapi.json';
export const sitesPath = '/api/v1/sites';
export const extPath = '/api/ext/sites';
export const exportPath = '/api/export';

/** Several questions to the first group of endpoints in one request: `/api/ext/sites/:id/answers`. */
export const answersName = 'answers';

/** Endpoints about one site: `<group>/:id/<name>`. */
export const siteEndpoints: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = {
  [sitesPath]: { stats, series, breakdown, events, realtime },
  [extPath]: { visits, hits, vitals, crawlers, outcomes },
};

/** What a path of the API means. */
export type Route =
  | { kind: 'description' }
  | { kind: 'sites' }
  | { kind: 'export'; site: string }
  | { kind: 'endpoint'; site: string; endpoint: Endpoint }
  | { kind: 'answers'; site: string }
  | { kind: 'unknown' };

const ownPaths = /^\/api\/(v1|ext|export|openapi\.json)(\/|$)/;

/** Undefined when the path is not the API's at all. */
export const routeOf = (path: string): Route | undefined => {
  if (!ownPaths.test(path)) return undefined;
  if (path === openApiPath) return { kind: 'description' };
  if (path === sitesPath) return { kind: 'sites' };
  const [, group, site, name] = /^(.*)\/([^/]+)\/(\w+)$/.exec(path) ?? [];
  const endpoint = own(own(siteEndpoints, group), name);
  if (endpoint !== undefined) return { kind: 'endpoint', site: decoded(site!), endpoint };
  if (group === extPath && name === answersName) return { kind: 'answers', site: decoded(site!) };
  const [, exported] = /^\/api\/export\/([^/]+)$/.exec(path) ?? [];
  return exported === undefined ? { kind: 'unknown' } : { kind: 'export', site: decoded(exported) };
};

/** A row of a table by a name from outside, which may also be the name of something that every object has. */
const own = <Row>(table: Readonly<Record<string, Row>> | undefined, name = ''): Row | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

/** A path's segment as the client meant it; one that is not well encoded names nothing. */
const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    // No URL of ours is written like this: an empty name finds no site.
    return '';
  }
};
