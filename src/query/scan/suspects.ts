/**
 * Which visits of a day look automated, and why (model/suspects.ts). It is worked out from what is
 * stored, so it holds for past days too, and what was found of a sealed day is kept.
 */
import { hitTypes, secondsOf } from '../../model/hit.ts';
import { hostingKind, type NetworkKind, networkKinds } from '../../model/hosting-networks.ts';
import { manyPages, pacedPages, paceParts, type SuspectReason, suspectReasonNames } from '../../model/suspects.ts';
import type { Day, NumberName } from '../../store/day/day.ts';
import type { QueryContext } from '../context.ts';
import { keeperOf } from './day-index.ts';
import { withRoom } from './text-test.ts';

const codeOfReason = (reason: SuspectReason): number => suspectReasonNames.indexOf(reason) + 1;
const [hosting, many, paced, idle] = suspectReasonNames.map(codeOfReason) as [number, number, number, number];

/** Of each visit the number of its reason, from 1 on, or 0 for none. Do not write to it. */
export const suspectCodes = (day: Day, context: QueryContext): Uint8Array =>
  keeperOf(context.reader.cache, day)('suspects', () => findSuspects(day, networkKindsOf(day, context)));

/** The number of each network's kind, by the dictionary's entry, from 1 on; 0 for no network. */
export const networkKindsOf = (day: Day, { query, reader, text }: QueryContext): Uint32Array => {
  const ids = day.dictionary('network');
  const key = `network kinds of site ${query.siteId}`;
  const kept = reader.cache.find<Uint8Array>(key) ?? new Uint8Array(0);
  const known = withRoom(kept, ids.at(-1) ?? 0, larger => reader.cache.put(key, larger));
  return ids.map(id => {
    if (id === 0) return 0;
    if (known[id] === 0) known[id] = kindNumber(hostingKind(text(id) ?? ''));
    return known[id]!;
  });
};
const kindNumber = (kind: NetworkKind): number => networkKinds.indexOf(kind) + 1;
const hostingNumber = kindNumber('hosting');

const findSuspects = (day: Day, kinds: Uint32Array): Uint8Array => {
  const reasons = new Uint8Array(day.visits);
  const wide = (name: NumberName): Uint32Array => new Uint32Array(day.numbers(name));
  const [hitsOf, pageviews, duration] = [wide('hits'), wide('pageviews'), wide('duration')];
  const { codes: networks } = day.texts('network');
  const hits: Hits = { type: wide('type'), time: wide('time') };
  const [seconds, scroll] = [wide('secondsOnPage'), wide('scroll')];
  for (let visit = 0, from = 0; visit < day.visits; visit++) {
    const to = from + hitsOf[visit]!;
    if (kinds[networks[visit]!] === hostingNumber) reasons[visit] = hosting;
    else if (pageviews[visit]! >= manyPages) reasons[visit] = many;
    else if (pageviews[visit]! >= pacedPages) reasons[visit] = isPaced(hits, from, to) ? paced : 0;
    else if (to - from === 1 && pageviews[visit] === 1 && duration[visit] === 0)
      reasons[visit] = secondsOf(seconds[from]!, scroll[from]!) === null ? idle : 0;
    from = to;
  }
  return reasons;
};

interface Hits {
  type: Uint32Array;
  time: Uint32Array;
}

/** Whether the pauses between the pageviews of a visit are nearly the same. */
const isPaced = ({ type, time }: Hits, from: number, to: number): boolean => {
  let [shortest, longest, last] = [Number.POSITIVE_INFINITY, 0, -1];
  for (let hit = from; hit < to; hit++) {
    if (type[hit] !== hitTypes.pageview) continue;
    if (last >= 0) {
      shortest = Math.min(shortest, time[hit]! - last);
      longest = Math.max(longest, time[hit]! - last);
    }
    last = time[hit]!;
  }
  return (longest - shortest) * paceParts <= shortest;
};
