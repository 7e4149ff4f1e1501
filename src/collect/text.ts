/** Text from outside, made fit to be stored: bounded, and well-formed Unicode. */
import { clip } from '../model/clip.ts';

/** A text as `clip` cuts it, or null when it is empty or no text. */
export const textOf = (value: unknown, charsMax: number): string | null =>
  typeof value === 'string' && value !== '' ? clip(value, charsMax) : null;

/** A text; undefined when it is empty or no text. */
export const someText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
