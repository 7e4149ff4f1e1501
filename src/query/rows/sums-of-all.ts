/** What all selected hits add up to, as the only group: as `sumsOfGroups` counts it, but faster. */
import { lazy } from '../../model/remember.ts';
import { sumOf } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { hitNumbers, type Selection, visitNumbers } from '../scan/selection.ts';
import { bounceFlag, pageviewFlag, type Tally, tallyVisitors } from '../scan/tally.ts';
import type { Scratch } from '../scratch.ts';
import type { CountedSum, GroupSums } from './group-sums.ts';

/** As `tallyVisits` counts what is one group, 0. */
export const tallyOfAll = (selection: Selection): Tally => {
  const { visitors, persistent } = tallyVisitors(selection);
  const [groups, hits] = [Uint32Array.of(0), Uint32Array.of(selection.hits)];
  return { groups, hits, visitors: Uint32Array.of(visitors), persistent };
};

/** Undefined where one of the sums is not counted here. */
export const sumsOfAll = (
  selection: Selection,
  names: readonly CountedSum[],
  scratch: Scratch,
): GroupSums | undefined => {
  const pageviews = lazy(() => pageviewsOf(selection, scratch));
  const counts: Partial<Record<CountedSum, () => number>> = {
    hits: () => selection.hits,
    visits: () => selection.visits().length,
    bounces: () => bouncesOf(visitNumbers(selection, 'pageviews', scratch)),
    visitMs: () => sumOf(visitNumbers(selection, 'duration', scratch)),
    pageviews,
    events: () => eventsOf(selection, pageviews(), scratch),
  };
  if (!names.every(name => name in counts)) return undefined;
  const listOf = (name: CountedSum): Uint32Array | Float64Array =>
    (name === 'visitMs' ? Float64Array : Uint32Array).of(counts[name]!());
  return Object.fromEntries(names.map(name => [name, listOf(name)]));
};

/** A visit is a bounce for all of its pageviews, selected or not. */
const bouncesOf = (pageviews: Uint32Array): number => {
  let bounces = 0;
  for (let i = 0; i < pageviews.length; i++) bounces += bounceFlag(pageviews[i]!);
  return bounces;
};

const pageviewsOf = (selection: Selection, scratch: Scratch): number =>
  selection.wholeVisits
    ? sumOf(visitNumbers(selection, 'pageviews', scratch))
    : countPageviews(hitNumbers(selection, 'type', scratch));

const countPageviews = (types: Uint32Array): number => {
  let pageviews = 0;
  for (let i = 0; i < types.length; i++) pageviews += pageviewFlag(types[i]!);
  return pageviews;
};

/** Hits of type custom, outbound or revenue that have a name. Nearly all of them do. */
const eventsOf = (selection: Selection, pageviews: number, scratch: Scratch): number =>
  selection.index.isEachNamed() ? selection.hits - pageviews : (selectEvents(selection, scratch)?.hits ?? 0);
