/** Of a selection, the hits that are events: custom, outbound and revenue hits that have a name. */
import { eventTypes, type HitType, hitTypes, lastHitCode } from '../../model/hit.ts';
import { narrow, type Selection } from './selection.ts';

/** The events of some types; undefined when there are none. */
export const selectEvents = (selection: Selection, types: readonly HitType[] = eventTypes): Selection | undefined => {
  const { day } = selection;
  const names = day.dictionary('event').length;
  if (names === 1) return undefined;
  const hasName = new Uint8Array(names).fill(1, 1);
  const isOfType = new Uint8Array(1 + lastHitCode);
  for (const type of types) isOfType[hitTypes[type]] = 1;
  const conditions = [
    { values: day.keptCodes('event'), pass: hasName },
    { values: day.keptNumbers('type'), pass: isOfType },
  ];
  return narrow(selection, conditions, 'event');
};
