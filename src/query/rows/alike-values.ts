/** Values of properties that are no texts, and the texts that read like them. */
import { valueText } from '../../model/hit.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import type { QueryContext } from '../context.ts';
import { type NumberKind, numberCodes } from './property-rows.ts';

/** Look-ups of names between two chances to give way. */
const looksPerTurn = 1_000;

/** Positions of a text and of the value that it reads like. */
export interface Alike {
  text: number;
  value: number;
}

/** The number that a text may be the name of. */
const numberNamed: Record<NumberKind, (name: string) => number> = {
  number: Number,
  boolean: name => (name === 'true' ? 1 : 0),
  instant: Date.parse,
};

/**
 * The pairs among ascending text ids and ascending values; null between turns. It looks up the
 * names of the texts or the ids of the values, whichever are fewer.
 */
export function* findAlike(
  texts: Uint32Array,
  values: Float64Array,
  kind: NumberKind,
  { query, reader, text }: QueryContext,
): Generator<Alike | null, void> {
  const nameOf = (value: number): string => valueText(numberCodes[kind], null, value)!;
  const looks = Math.min(texts.length, values.length);
  for (let look = 0; look < looks; look++) {
    if (look % looksPerTurn === 0) yield null;
    if (looks === texts.length) {
      const name = text(texts[look]!);
      const value = name === null ? -1 : positionAmong(values, numberNamed[kind](name));
      if (value >= 0 && nameOf(values[value]!) === name) yield { text: look, value };
    } else {
      const id = reader.texts.find(query.siteId, nameOf(values[look]!));
      const position = id === 0 ? -1 : positionAmong(texts, id);
      if (position >= 0) yield { text: position, value: look };
    }
  }
}
