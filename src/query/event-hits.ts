/** Of a selection, the hits that are events: custom, outbound and revenue hits that have a name. */
import { eventTypes, type HitType, hitTypes, lastHitCode } from '../model/hit.ts';
import { narrow, type Selection, testPlaces } from './selection.ts';

/** The events of some types; undefined when there are none. The selection it is made from stays good. */
export const selectEvents = (selection: Selection, types: readonly HitType[] = eventTypes): Selection | undefined => {
  const { day } = selection;
  const { codes, dictionary, present } = day.texts('event');
  if (dictionary.length === 1) return undefined;
  const hasName = new Uint8Array(dictionary.length).fill(1, 1);
  const isOfType = new Uint8Array(1 + lastHitCode);
  for (const type of types) isOfType[hitTypes[type]] = 1;
  const tests = [
    testPlaces(selection, 'hit codes', { codes, pass: hasName, present }),
    testPlaces(selection, 'type', { codes: day.numbers('type'), pass: isOfType, present: null }),
  ];
  return narrow(selection, tests, 'event ');
};
