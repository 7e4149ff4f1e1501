/** Of a selection, the hits that are events: custom, outbound and revenue hits that have a name. */
import { eventTypes, type HitType, hitTypes, lastHitCode } from '../model/hit.ts';
import { hitCodes, hitNumbers, narrow, type Selection } from './selection.ts';

/** The events of some types; undefined when there are none. The selection it is made from stays good. */
export const selectEvents = (selection: Selection, types: readonly HitType[] = eventTypes): Selection | undefined => {
  const { dictionary } = selection.day.texts('event');
  if (dictionary.length === 1) return undefined;
  const hasName = new Uint8Array(dictionary.length).fill(1, 1);
  const isOfType = new Uint8Array(1 + lastHitCode);
  for (const type of types) isOfType[hitTypes[type]] = 1;
  const named = { codes: hitCodes(selection, 'event'), pass: hasName };
  return narrow(selection, [named, { codes: hitNumbers(selection, 'type'), pass: isOfType }], 'event ');
};
