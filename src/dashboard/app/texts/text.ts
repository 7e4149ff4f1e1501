/**
 * Texts by key, in the language of the page. A text is a whole sentence, with `{name}` where a
 * value goes and `<name>…</name>` around what becomes an element; or several, one for each form
 * that the language has for numbers, of which `count` picks one.
 */
import type { ComponentChildren } from 'preact';
import type { Language } from '../../../model/locale.ts';
import { formatNumber } from '../number.ts';
import type { TextParts, Texts } from './made.ts';
import type { modelTexts } from './model-texts.ts';

export type TextKey = keyof TextParts | keyof typeof modelTexts;
/** A text that has an explanation. */
export type FigureKey = { [K in TextKey]: `${K}.meaning` extends TextKey ? K : never }[TextKey];

/** Texts of the model are given nothing. */
type PartsOf<K extends TextKey> = K extends keyof TextParts ? TextParts[K] : never;
type NamesOf<K extends TextKey> = Exclude<PartsOf<K>, `<${string}`>;
type TagsOf<K extends TextKey> =
  PartsOf<K> extends infer Part ? (Part extends `</${infer Name}>` ? Name : never) : never;

type Values<K extends TextKey> = { [N in NamesOf<K>]: N extends 'count' ? number : string | number };
type RichValues<K extends TextKey> = { [N in NamesOf<K>]: N extends 'count' ? number : ComponentChildren } & {
  [N in TagsOf<K>]: (inner: string) => ComponentChildren;
};
type Given<Value> = keyof Value extends never ? [] : [values: Value];

let texts: Texts = {};
let rules = new Intl.PluralRules('en');

export const setTexts = (language: Language, next: Texts): void => {
  texts = next;
  rules = new Intl.PluralRules(language);
};

/** A text with its values. Numbers are written as the reader's formats want it. */
export const t = <K extends TextKey>(key: K, ...[values]: Given<Values<K>>): string =>
  filled(sentenceOf(key, values), values as Record<string, string | number>);

/**
 * A text with elements in it: values may be elements, and `<name>…</name>` is made by a function of
 * its content, in which values are texts.
 */
export const rich = <K extends TextKey>(key: K, ...[values]: Given<RichValues<K>>): ComponentChildren =>
  sentenceOf(key, values)
    .split(/(\{\w+\}|<\w+>.*?<\/\w+>)/)
    .map(piece => {
      const [, name, tag, inner] = /^(?:\{(\w+)\}|<(\w+)>(.*)<\/\w+>)$/.exec(piece) ?? [];
      const given = values as Record<string, ComponentChildren | ((inner: string) => ComponentChildren)>;
      if (name !== undefined) {
        const value = given[name] as ComponentChildren;
        return typeof value === 'number' ? written(value) : value;
      }
      if (tag === undefined) return piece;
      return (given[tag] as (inner: string) => ComponentChildren)(filled(inner!, given as Record<string, string>));
    });

/** A text without values, where there is one of this key. */
export const textIfAny = (key: string): string | undefined => {
  const text = texts[key];
  return typeof text === 'string' ? text : undefined;
};

const sentenceOf = (key: TextKey, values: object | undefined): string => {
  const text = texts[key];
  if (text === undefined) throw new Error(`There is no text ${key}, or texts are read before they are loaded.`);
  if (typeof text === 'string') return text;
  const { count } = values as { count: number };
  return text[rules.select(count)] ?? text.other!;
};

const filled = (sentence: string, values: Readonly<Record<string, string | number>>): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => written(values[name]!));

const written = (value: string | number): string => (typeof value === 'number' ? formatNumber(value) : value);
