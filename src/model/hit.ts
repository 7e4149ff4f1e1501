/**
 * A hit on the wire and as it is stored: one list of keys for the tracker, the collector and the
 * reader.
 */
import { isoTime } from './time.ts';

/** What `t` may say in a request body (docs/collecting.md, "A hit"). */
export type WireType = 'pageview' | 'custom' | 'outbound' | 'revenue' | 'identify' | 'duration' | 'vitals';

/**
 * The JSON body of POST /e, as the tracker sends it. What the fields mean: docs/collecting.md, "A
 * hit".
 */
export interface WireHit {
  s: string;
  t?: WireType;
  u: string;
  r?: string;
  ti?: string;
  l?: string;
  w?: number;
  h?: number;
  n?: string;
  /** Milliseconds. */
  d?: number;
  /** Percent of the page that was seen, with `d`. */
  sc?: number;
  p?: Record<string, unknown>;
  /** Minor units of `c`. */
  v?: number;
  c?: string;
  i?: string;
  b?: number;
  x?: number;
}

/**
 * Codes of hits, frozen because sealed days hold them too. The first four count as hits. `identify`
 * and `duration` do not: such non-counting hits extend or name their visit, and folding a day drops
 * them.
 */
export const hitTypes = { pageview: 1, custom: 2, outbound: 3, revenue: 4, identify: 5, duration: 6 } as const;
export type HitType = keyof typeof hitTypes;

/** The types that are events, in the order of their codes, which breaks ties between them. */
export const eventTypes = ['custom', 'outbound', 'revenue'] as const satisfies HitType[];

/** The greatest code of a hit that counts. */
export const lastHitCode = hitTypes.revenue;
export const isNonCounting = (type: HitType): boolean => hitTypes[type] > lastHitCode;

/** Name of a hit type's code; undefined for any other number. */
export const hitTypeName = (code: number): HitType | undefined =>
  (Object.keys(hitTypes) as HitType[]).find(name => hitTypes[name] === code);

/**
 * How much of a page was seen as columns have it: 0 where nothing told it, else one more than the
 * percent.
 */
export const scrollCode = (percent: number | null): number => (percent === null ? 0 : percent + 1);
/**
 * In the place of a percent where none was told, but a time of less than half a second: seconds are
 * whole, and 0 of them alone would mean that nothing is known.
 */
export const brieflyCode = scrollCode(100) + 1;
/** The percent that a code stands for; null where none was told. */
export const scrollOf = (code: number): number | null => (code === 0 || code === brieflyCode ? null : code - 1);
/** How long a page was looked at, from its seconds and the code beside them; null if unknown. */
export const secondsOf = (seconds: number, code: number): number | null => (seconds > 0 || code > 0 ? seconds : null);

/**
 * Codes of the types that a property value can have, frozen like the hit types. Code 4 is a date
 * that an earlier version kept as its instant alone.
 */
export const propertyTypes = { string: 1, number: 2, boolean: 3, date: 5 } as const;
export type PropertyType = keyof typeof propertyTypes;
export const instantCode = 4;
/** Whether a value with this code is a text. */
export const isTextCode = (code: number): boolean => code === propertyTypes.string || code === propertyTypes.date;

/**
 * A stored value as filters and lists have it: numbers as JavaScript prints them, booleans as true
 * and false, instants in ISO 8601 with Z. Null when it is empty.
 */
export const valueText = (code: number, text: string | null, number: number): string | null => {
  if (isTextCode(code)) return text;
  if (code === propertyTypes.boolean) return number === 0 ? 'false' : 'true';
  return code === instantCode ? isoTime(number) : String(number);
};

/** One typed property. A date is the text that was sent, a boolean 0 or 1. */
export type Property = { key: string } & (
  | { type: 'string' | 'date'; value: string }
  | { type: 'number' | 'boolean'; value: number }
);

/** Bits of `b` (docs/collecting.md, "Bots"). */
export const automationBits = {
  webdriver: 1,
  driverGlobals: 2,
  headless: 4,
  noOuterSize: 8,
  smallScreen: 16,
  noLanguages: 32,
  platformMismatch: 64,
  neverVisible: 128,
} as const;
