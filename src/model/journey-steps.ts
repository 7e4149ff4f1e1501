/** The steps of a journey: pages, folders of pages, and events. A step is written as a filter. */
import { queryText } from './query-text.ts';

export type JourneyStepKind = 'page' | 'folder' | 'event';

export interface JourneyStep {
  kind: JourneyStepKind;
  /** The path, the beginning that the paths of a folder share, or the event's name. */
  name: string;
}

/** What counts as a step. */
export const journeyShows = ['pages', 'events', 'all'] as const;
export type JourneyShow = (typeof journeyShows)[number];

export const journeyDirections = ['after', 'before'] as const;
export type JourneyDirection = (typeof journeyDirections)[number];

/** Name of the filter that selects the hits of a step. */
const filterNames: Record<JourneyStepKind, string> = { page: 'path', folder: 'path^', event: 'event' };

/** The step as a query string. */
export const journeyStepText = ({ kind, name }: JourneyStep): string =>
  queryText(new URLSearchParams([[filterNames[kind], name]]));

/** Undefined for a text that is no step. */
export const readJourneyStep = (text: string): JourneyStep | undefined => {
  const [pair, ...others] = [...new URLSearchParams(text)];
  if (pair === undefined || others.length > 0) return undefined;
  const [filter, name] = pair;
  const kind = (Object.keys(filterNames) as JourneyStepKind[]).find(each => filterNames[each] === filter);
  return kind === undefined ? undefined : { kind, name };
};

/**
 * The folder of so many levels that a path is in, as the beginning that its paths share: of
 * `/docs/a/b`, `/docs/` at 1 and `/docs/a/` at 2. Null for a path that is not that deep, such as
 * `/docs` at 1.
 */
export const folderOf = (path: string, depth: number): string | null => {
  let end = path.startsWith('/') ? 0 : -1;
  for (let level = 0; level < depth && end >= 0; level++) end = path.indexOf('/', end + 1);
  return depth === 0 || end < 0 ? null : path.slice(0, end + 1);
};
