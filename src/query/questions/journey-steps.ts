/**
 * Which step of a journey each hit of a day is. The id of a step means the same on every day: the
 * id of a text, doubled, and one more for an event.
 */

import { eventTypes, type HitType, hitTypes, lastHitCode } from '../../model/hit.ts';
import type { JourneyShow, JourneyStep } from '../../model/journey-steps.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import type { PageFolders } from '../rows/page-folders.ts';
import { eachOnce } from '../rows/sum-by-id.ts';
import type { Selection } from '../scan/selection.ts';
import { widen } from '../scan/widen.ts';
import type { Scratch } from '../scratch.ts';

/** The end of the visit, in place of a step. */
export const endId = 0;

export const isEventId = (id: number): boolean => (id & 1) === 1;
export const textOfStep = (id: number): number => id >>> 1;
export const pageOrEventId = (text: number | undefined, isEvent: boolean): number | undefined =>
  text === undefined ? undefined : 2 * text + (isEvent ? 1 : 0);

export type StepFinder = (step: JourneyStep) => number | undefined;

export interface DaySteps {
  /** By code, ascending. The code 0 is `endId`. */
  ids: Uint32Array;
  /** By hit, the code of its step; 0 for none. */
  ofHit: Uint32Array;
  /** The code of a step; one that no hit has where no hit of the day is it. */
  codeOf(id: number | undefined): number;
}

const noCode = 0xffff_ffff;

export const stepsOfHits = (
  { day, index }: Selection,
  show: JourneyShow,
  folders: PageFolders,
  scratch: Scratch,
): DaySteps => {
  const pages = show === 'events' ? null : { dictionary: day.dictionary('path'), codes: day.keptCodes('path') };
  const events = show === 'pages' ? null : { dictionary: day.dictionary('event'), codes: day.keptCodes('event') };
  const pageIds = pages?.dictionary.map(id => 2 * folders.idOf(id));
  const eventIds = events?.dictionary.map(id => (id === 0 ? endId : 2 * id + 1));
  const ids = eachOnce([Uint32Array.of(endId), pageIds ?? noIds, eventIds ?? noIds]);
  const codesOf = (own: Uint32Array): Uint32Array => own.map(id => positionAmong(ids, id));
  const ofHit = scratch.zeros(day.hits);
  scratch.within(inner => {
    const types = index.numbers('type');
    if (pages !== null) assign(types, isOf(['pageview']), widen(pages.codes, inner), codesOf(pageIds!), ofHit);
    if (events !== null) assign(types, isOf(eventTypes), widen(events.codes, inner), codesOf(eventIds!), ofHit);
  });
  return {
    ids,
    ofHit,
    codeOf(id) {
      const code = id === undefined ? -1 : positionAmong(ids, id);
      return code < 0 ? noCode : code;
    },
  };
};

const noIds = new Uint32Array(0);

const isOf = (types: readonly HitType[]): Uint8Array => {
  const flags = new Uint8Array(1 + lastHitCode);
  for (const type of types) flags[hitTypes[type]] = 1;
  return flags;
};

/** Gives hits of some types the code of their text. */
const assign = (
  types: Uint32Array,
  isWanted: Uint8Array,
  texts: Uint32Array,
  codes: Uint32Array,
  ofHit: Uint32Array,
): void => {
  for (let hit = 0; hit < ofHit.length; hit++) ofHit[hit]! |= codes[texts[hit]!]! * isWanted[types[hit]!]!;
};
