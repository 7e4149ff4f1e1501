/** Of a selection, the hits that are events: custom, outbound and revenue hits that have a name. */
import { hitTypes } from '../model/hit.ts';
import { hitCodes, hitNumbers, isOne, narrow, type Selection } from './selection.ts';

/** Undefined when there are none. The selection it is made from stays good. */
export const selectEvents = (selection: Selection): Selection | undefined => {
  if (selection.day.texts('event').dictionary.length === 1) return undefined;
  const events = hitCodes(selection, 'event');
  const types = hitNumbers(selection, 'type');
  const isEvent = selection.scratch.take('is event', events.length);
  for (let place = 0; place < events.length; place++) {
    isEvent[place] = events[place] !== 0 && types[place] !== hitTypes.pageview ? 1 : 0;
  }
  return narrow(selection, isEvent, isOne, 'event ');
};
