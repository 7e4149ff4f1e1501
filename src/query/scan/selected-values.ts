/** Values for what is selected. Those of columns are not to be written to: they may be the column as the cache keeps it. */
import type { NumberName, TextName } from '../../store/day/day.ts';
import type { Numbers, Packed } from '../../store/day/packed.ts';
import { visitBegins } from './day-index.ts';
import { codesOf } from './filter-rows.ts';
import { sharedCopy } from './lists.ts';
import type { Selection } from './selection.ts';

/** The codes of a column's texts, one for each selected visit. Good until the next call, as those of hitCodes are. */
export const visitCodes = (selection: Selection, name: TextName): Uint32Array =>
  ofVisits(selection, 'visit codes', selection.day.keptCodes(name));

/** The values of a column of visits, one for each selected visit. */
export const visitNumbers = (selection: Selection, name: NumberName): Uint32Array =>
  ofVisits(selection, name, selection.day.keptNumbers(name));

/** The codes of a column's texts, one for each place. */
export const hitCodes = (selection: Selection, name: TextName): Uint32Array =>
  ofPlaces(selection, 'hit codes', selection.day.keptCodes(name));

/** The values of a column of hits, one for each place. */
export const hitNumbers = (selection: Selection, name: NumberName): Uint32Array =>
  ofPlaces(selection, name, selection.day.keptNumbers(name));

/** When each selected hit came, in milliseconds since midnight, by place. Worked out at each call, into scratch that may be written to. */
export const hitTimes = (selection: Selection): Uint32Array => {
  const started = visitNumbers(selection, 'started');
  const time = hitNumbers(selection, 'time');
  const begins = selection.places().begins();
  const times = selection.scratch.take('times', time.length);
  let i = -1;
  for (let place = 0; place < times.length; place++) {
    i += begins[place]! & visitBegins;
    times[place] = started[i]! + time[place]!;
  }
  return times;
};

/** Hashes of the selected visitors of cookie mode, as `PersistentVisitors` has them, in memory of their own. */
export const visitorHashes = ({ day, visits, visitors, hashVisits, scratch }: Selection): Uint32Array => {
  if (hashVisits === visits.length) return new Uint32Array(0); // and the column is not read
  const all = day.hashes();
  const words = new Uint32Array(all.buffer, all.byteOffset, 2 * all.length);
  const hashes = scratch.take('hashes of visitors', 2 * (visits.length - hashVisits));
  let end = 0;
  let last = 0;
  for (let i = hashVisits; i < visits.length; i++) {
    const change = visitors[i]! ^ last;
    last = visitors[i]!;
    end += ((change | -change) >>> 31) << 1;
    hashes[end - 2] = words[2 * visits[i]!]!;
    hashes[end - 1] = words[2 * visits[i]! + 1]!;
  }
  return sharedCopy(hashes.subarray(0, end));
};

const ofVisits = ({ day, visits, scratch }: Selection, name: string, values: Numbers | Packed): Uint32Array =>
  visits.length === day.visits ? scratch.widen(name, values) : scratch.at(name, values, visits);

const ofPlaces = (selection: Selection, name: string, values: Numbers | Packed): Uint32Array =>
  codesOf(selection.places(), values, name, selection.scratch);
