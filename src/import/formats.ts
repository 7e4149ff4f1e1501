/** The one list of what can be imported. */
import type { Format } from './format.ts';
import { combined, ndjson } from './line-formats.ts';

export const formats: readonly Format[] = [ndjson, combined];

export const formatNames: readonly string[] = formats.map(({ name }) => name);

export const formatNamed = (name: string): Format | undefined => formats.find(format => format.name === name);
