/**
 * A year of a site's visits by quarter of an hour, with events that alerts have to find. Every
 * world has a rhythm, a growth, moods and flocks of its own.
 */
import { type Chance, chanceFrom, seedOf } from '../src/cli/demo/random.ts';
import { hourOfWeek, type Slots, slotMs, slotsPerHour } from '../src/model/alerts/slots.ts';
import { dayMs, hourMs } from '../src/model/time.ts';

export interface Planted {
  kind: 'spike' | 'drop' | 'silence';
  from: number;
  to: number;
}

export interface World {
  slots: Slots;
  planted: Planted[];
  local: (at: number) => number;
}

export interface WorldOptions {
  seed: number;
  visitsPerDay: number;
  /** Of each kind. */
  events: number;
}

const slotsPerDay = 24 * slotsPerHour;
/** Before the year, so that there is something to compare with. */
const pastDays = 50;
const yearDays = 365;
export const firstJudged = pastDays * slotsPerDay;
const begin = Date.UTC(2025, 0, 1) - pastDays * dayMs;

/** Hours that a spike or drop lasts: what is rare on a small site takes longer to be seen. */
const lastsOf = (visitsPerDay: number): [number, number] =>
  visitsPerDay < 20 ? [72, 120] : visitsPerDay < 50 ? [36, 72] : visitsPerDay < 500 ? [12, 30] : [3, 12];

const shape = (chance: Chance): { byHour: number[]; byDay: number[] } => {
  const [depth, peak, weekend] = [0.3 + 0.6 * chance.number(), 10 + 9 * chance.number(), 0.4 + 0.9 * chance.number()];
  const byHour = Array.from({ length: 24 }, (_, hour) => 1 + depth * Math.cos(((hour - peak) / 24) * 2 * Math.PI));
  const byDay = Array.from({ length: 7 }, (_, day) => (day < 2 ? weekend : 1));
  const mean = byDay.reduce((sum, one) => sum + one, 0) / 7;
  return { byHour, byDay: byDay.map(one => one / mean) };
};

/** Events that do not touch each other, each with some quiet days around it. */
const plant = (chance: Chance, { events, visitsPerDay }: WorldOptions): Planted[] => {
  const kinds = (['spike', 'drop', 'silence'] as const).flatMap(kind => Array.from({ length: events }, () => kind));
  const all = kinds.map(kind => ({ kind, order: chance.number() })).sort((a, b) => a.order - b.order);
  const room = Math.floor((yearDays - 7) / all.length);
  const [short, long] = lastsOf(visitsPerDay);
  return all.map(({ kind }, i) => {
    const day = pastDays + i * room + chance.below(Math.max(1, room - 4));
    const from = begin + day * dayMs + (kind === 'silence' ? chance.below(24) : 7 + chance.below(12)) * hourMs;
    const hours = kind === 'silence' ? (visitsPerDay < 50 ? 72 : 18) : short + chance.below(long - short + 1);
    return { kind, from, to: from + hours * hourMs };
  });
};

const factorOf = ({ kind }: Planted): number => (kind === 'spike' ? 3 : kind === 'drop' ? 1 / 4 : 0);

export const makeWorld = (options: WorldOptions): World => {
  const { seed, visitsPerDay } = options;
  const chance = chanceFrom(seedOf(seed, visitsPerDay));
  const { byHour, byDay } = shape(chance);
  const growth = chance.around(1, 0.4);
  const flock = chance.number() * 0.5;
  const zoneHours = chance.below(24) - 12;
  const local = (at: number): number => at + zoneHours * hourMs;
  const planted = plant(chance, options);
  const days = pastDays + yearDays;
  const values = new Float64Array(days * slotsPerDay);
  const moods = Array.from({ length: days + 2 }, () => chance.around(1, 0.07));
  for (let i = 0; i < values.length; i++) {
    const at = begin + i * slotMs;
    const hour = hourOfWeek(local(at));
    const day = Math.floor(i / slotsPerDay);
    const season = 1 + 0.12 * Math.sin((2 * Math.PI * day) / 365);
    const usual =
      (visitsPerDay / slotsPerDay) * byHour[Math.floor(hour % 24)]! * byDay[(Math.floor(hour / 24) + 5) % 7]!;
    const event = planted.find(({ from, to }) => from <= at && at < to);
    const mean =
      usual * season * growth ** (day / 365 - 0.5) * moods[day]! * (event === undefined ? 1 : factorOf(event));
    // Some visits bring others along within the next two hours.
    const arrived = chance.count(mean / (1 + flock));
    values[i]! += arrived;
    for (let n = chance.count(arrived * flock); n > 0; n--) {
      const later = i + chance.below(2 * slotsPerHour);
      const isSilenced = planted.some(
        ({ kind, from, to }) => kind === 'silence' && from <= begin + later * slotMs && begin + later * slotMs < to,
      );
      if (later < values.length && !isSilenced) values[later]! += 1;
    }
  }
  return { slots: { from: begin, values }, planted, local };
};
