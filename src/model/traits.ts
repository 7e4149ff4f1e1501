/**
 * Traits: what a page says of its visitor. Each `identify` adds to what earlier ones of the visit
 * said (docs/collecting.md, "Visits").
 */
import { propertiesMax, traitBytesMax } from './limits.ts';

export type Scalar = string | number | boolean;

export interface Identity {
  /** The trait that names the visitor, as text. */
  name: string;
  /** All traits as JSON, at most `traitBytesMax` in UTF-8. */
  traits: string;
}

/** Traits that name a visitor, the first present one wins. */
const namingTraits = ['email', 'name', 'username', 'id', 'userId'];

/** Null for no traits. */
export const identityOfTraits = (traits: ReadonlyMap<string, Scalar>): Identity | null => {
  if (traits.size === 0) return null;
  const naming = namingTraits.find(key => (traits.get(key) ?? '') !== '') ?? traits.keys().next().value!;
  return { name: String(traits.get(naming)), traits: traitsJson(traits) };
};

/**
 * Earlier traits, as JSON, with later ones added: of one key the later value stays. Where not all
 * have room, later ones come first.
 */
export const mergedIdentity = (earlier: string, later: Identity): Identity => {
  const [before, added] = [traitsOf(earlier), traitsOf(later.traits)];
  const inOrder = new Map([...before, ...added]);
  if (inOrder.size <= propertiesMax && bytesOf(inOrder) <= traitBytesMax) return identityOfTraits(inOrder) ?? later;
  const kept = [...added, ...[...before].filter(([key]) => !added.has(key))].slice(0, propertiesMax);
  return identityOfTraits(new Map(kept)) ?? later;
};

/** What was said in all of several identifies, in their order; null where there is none. */
export const identityOf = (said: readonly Identity[]): Identity | null =>
  said.reduce<Identity | null>(
    (before, later) => (before === null ? later : mergedIdentity(before.traits, later)),
    null,
  );

/** The traits that JSON holds, in their order. */
export const traitsOf = (json: string): Map<string, Scalar> =>
  new Map(Object.entries(JSON.parse(json) as Record<string, Scalar>));

/** What JSON holds under a key, as text; null where it holds nothing, or an empty text. */
export const traitText = (json: string, key: string): string | null => {
  const traits = JSON.parse(json) as Record<string, Scalar>;
  return Object.hasOwn(traits, key) && traits[key] !== '' ? String(traits[key]) : null;
};

const jsonOf = (traits: ReadonlyMap<string, Scalar>): string => JSON.stringify(Object.fromEntries(traits));
const bytesOf = (traits: ReadonlyMap<string, Scalar>): number => Buffer.byteLength(jsonOf(traits));

/** The traits that fit, in their order. */
const traitsJson = (traits: ReadonlyMap<string, Scalar>): string => {
  const all = jsonOf(traits);
  if (Buffer.byteLength(all) <= traitBytesMax) return all;
  const fitting = new Map<string, Scalar>();
  let bytes = '{}'.length;
  for (const [key, value] of traits) {
    const entryBytes = Buffer.byteLength(`${JSON.stringify(key)}:${JSON.stringify(value)},`);
    if (bytes + entryBytes > traitBytesMax) continue;
    bytes += entryBytes;
    fitting.set(key, value);
  }
  return jsonOf(fitting);
};
