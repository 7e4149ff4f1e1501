/** Input that nobody would send by chance: random values, and good ones with something broken. */
import type { Chance } from '../../src/cli/demo/random.ts';

/** Texts that have broken programs before. */
const nasty = [
  '',
  ' ',
  '\0',
  '\n',
  '\r\n',
  '"',
  "'",
  '\\',
  '\ud800',
  'a\udc00b',
  '\uffff',
  '𝒳',
  'é',
  '日本語',
  '\u202e',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  '9007199254740993',
  '%',
  '%00',
  '%ff%fe',
  '%u0041',
  '+',
  '&',
  '=',
  '#/!',
  '?utm_source=&utm_source=a&ref',
  '//',
  '../..',
  'javascript:alert(1)',
  'http://',
  'https://[::1]/',
  'https://user:pass@xn--nxasmq6b/',
  'android-app://',
  '<script>',
  '=cmd()',
  'Direct / none',
  '(other)',
  "' or 1=1 --",
  '2026-02-30',
  '2026-11-20T25:61:61Z',
  '(a+)+$',
] as const;

export const nastyText = (chance: Chance): string => {
  const text = chance.one(nasty);
  return chance.is(0.1) ? text.repeat(1 + chance.below(800)) : text;
};

export const randomText = (chance: Chance): string => {
  if (chance.is(0.5)) return nastyText(chance);
  const codes = Array.from({ length: chance.below(40) }, () => chance.below(chance.is(0.7) ? 128 : 0x10000));
  return String.fromCharCode(...codes);
};

const numbers = [0, -0, 1, -1, 0.5, 1e21, -1e308, 2 ** 31, 2 ** 32, 2 ** 53, 65_535, 1_800_001, 1e-7] as const;

/** Any JSON value, nested now and then. */
export const randomJson = (chance: Chance, depth = 0): unknown => {
  const kind = chance.below(depth > 4 ? 5 : 8);
  if (kind === 0) return null;
  if (kind === 1) return chance.is(0.5);
  if (kind === 2) return chance.is(0.7) ? chance.one(numbers) : chance.number() * 10 ** chance.below(20);
  if (kind <= 4) return randomText(chance);
  if (kind === 5) return Array.from({ length: chance.below(6) }, () => randomJson(chance, depth + 1));
  return Object.fromEntries(
    Array.from({ length: chance.below(depth === 0 ? 12 : 5) }, () => [
      randomText(chance),
      randomJson(chance, depth + 1),
    ]),
  );
};

/** An object with some of its values replaced, removed, or joined by others. */
export const mutateFields = (chance: Chance, good: Record<string, unknown>): Record<string, unknown> => {
  const entries = Object.entries(good).flatMap(([key, value]): [string, unknown][] => {
    if (chance.is(0.06)) return [];
    if (chance.is(0.12)) return [[key, randomJson(chance, 2)]];
    if (typeof value === 'string' && chance.is(0.12)) return [[key, mutateText(chance, value)]];
    return [[key, value]];
  });
  if (chance.is(0.1)) entries.push([randomText(chance), randomJson(chance, 2)]);
  return Object.fromEntries(entries);
};

/** A text with pieces cut, doubled or put in. */
export const mutateText = (chance: Chance, text: string): string => {
  let mutated = text;
  for (let changes = 1 + chance.below(3); changes > 0; changes--) {
    const at = chance.below(mutated.length + 1);
    const end = Math.min(mutated.length, at + chance.below(12));
    const kind = chance.below(4);
    if (kind === 0) mutated = mutated.slice(0, at) + mutated.slice(end);
    else if (kind === 1) mutated = mutated.slice(0, end) + mutated.slice(at);
    else if (kind === 2) mutated = mutated.slice(0, at) + nastyText(chance) + mutated.slice(end);
    else mutated = mutated.slice(0, at) + String.fromCharCode(chance.below(0x250)) + mutated.slice(at + 1);
  }
  return mutated;
};

/** Bytes with some flipped, cut, doubled or put in. */
export const mutateBytes = (chance: Chance, bytes: Buffer): Buffer => {
  let mutated = Buffer.from(bytes);
  for (let changes = 1 + chance.below(4); changes > 0; changes--) {
    const at = chance.below(mutated.length + 1);
    const kind = chance.below(4);
    if (kind === 0 && mutated.length > 0) mutated[Math.min(at, mutated.length - 1)]! ^= 1 << chance.below(8);
    else if (kind === 1) mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(at + chance.below(9))]);
    else if (kind === 2) mutated = Buffer.concat([mutated, mutated.subarray(at, at + chance.below(64))]);
    else mutated = Buffer.concat([mutated.subarray(0, at), randomBytes(chance, chance.below(9)), mutated.subarray(at)]);
  }
  return mutated;
};

export const randomBytes = (chance: Chance, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => chance.below(256)));

const agentPieces =
  'Mozilla/5.0|AppleWebKit/537.36|(KHTML, like Gecko)|Chrome/140.0.0.0|Safari/537.36|(Windows NT 10.0; Win64; x64)|(iPhone; CPU iPhone OS 18_1 like Mac OS X)|Android 14;|SM-S911B|bot|+http://a.example/|www.|@|Edg/|OPR/|Version/|;|(|)|/|-|.|_| '.split(
    '|',
  );

/** Something like a user agent: its pieces in any order, often many times. */
export const randomAgent = (chance: Chance): string => {
  const pieces = Array.from({ length: 1 + chance.below(9) }, () => {
    const piece = chance.is(0.8) ? chance.one(agentPieces) : randomText(chance);
    return chance.is(0.2) ? piece.repeat(1 + chance.below(300)) : piece;
  });
  return pieces.join(chance.is(0.5) ? ' ' : '');
};
