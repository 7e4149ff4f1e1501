/**
 * Days of several sites, read as days of one. Visitors of different sites are different visitors,
 * since the site is in their hash, so a day of another site is one more part of the day. What
 * differs are the ids of texts, which each site has its own of: here a text has one id in all
 * sites. Ids are given as texts are met and never change, so what was computed with them can be
 * kept. They are one thread's own.
 */
import { type ColumnName, columns } from '../../model/columns.ts';
import type { TextReader } from '../texts.ts';
import type { Column, TextColumn } from './column-codec.ts';
import { type Day, dayOver, factsOf, type NumberName, numberColumn, type TextName, textColumn } from './day.ts';
import { gather, gatherDoubles } from './gather.ts';
import { type GrowingColumn, growingIntegers } from './open/growing-column.ts';
import { sortRows } from './open/sort.ts';
import { partName } from './part.ts';
import type { UnitedDays } from './united-days.ts';

/** Reads some sites as one, whatever site it is asked for. */
export interface RollupDays extends UnitedDays {
  /** What the sites together are called in place of a site's id: no site has it. */
  siteId: number;
}

/** Rollups whose texts' ids a thread remembers: some 20 bytes for each text that was met. */
const rememberedMax = 16;

/** Gives the reader of some sites, the same one again as long as it is remembered. */
export const rollupDays = (reader: UnitedDays): ((siteIds: readonly number[]) => RollupDays) => {
  const known = new Map<string, RollupDays>();
  let made = 0;
  return siteIds => {
    const key = siteIds.join();
    const found = known.get(key) ?? readerOf(reader, siteIds, -++made);
    known.delete(key);
    known.set(key, found);
    for (const oldest of known.keys()) if (known.size > rememberedMax) known.delete(oldest);
    return found;
  };
};

const readerOf = (reader: UnitedDays, siteIds: readonly number[], siteId: number): RollupDays => {
  const { texts, ids } = sharedTexts(reader.texts, siteIds);
  const shared = (day: Day, site: number): Day => {
    const facts = { ...factsOf(day), siteId, part: { ...day.part, site } };
    const name = `${siteId} ${partName(facts, day.version)}`;
    const atHand = new Map<ColumnName, Column>();
    const make = columnMaker(day, given => ids(site, given));
    return dayOver(facts, column => {
      const found =
        atHand.get(column) ??
        (isAsItIs(column) ? day.column(column) : undefined) ??
        (day.sealed ? reader.cache.get(`${name} ${column}`, () => make(column)) : make(column));
      atHand.set(column, found);
      return found;
    });
  };
  return {
    ...reader,
    siteId,
    texts,
    outline: (_, from, to, pause) =>
      siteIds
        .flatMap(site => reader.outline(site, from, to, pause).map(of => ({ ...of, part: { ...of.part, site } })))
        .sort((a, b) => a.day - b.day),
    day(_, { day, part: { site, ...part } }, pause) {
      const from = site!;
      return reader.day(from, { day, part }, pause).map(each => shared(each, from));
    },
    firstAt() {
      const firsts = siteIds.flatMap(site => reader.firstAt(site) ?? []);
      return firsts.length === 0 ? null : Math.min(...firsts);
    },
  };
};

/** Whether a column holds no id of a text, and the order of its rows depends on none. */
const isAsItIs = (name: ColumnName): boolean =>
  columns[name].table !== 'property' && (columns[name].kind !== 'text' || name === 'screen');

/** Makes the other columns of a day, given what its texts' ids become. */
const columnMaker = (day: Day, become: (ids: Uint32Array) => Uint32Array): ((name: ColumnName) => Column) => {
  const valuesOf = (name: TextName): Uint32Array => {
    const { codes, dictionary } = day.texts(name);
    return gather(become(dictionary), Uint32Array.from(codes));
  };
  let order: Uint32Array | undefined;
  /** Rows of properties are sorted by key, then by hit. */
  const properties = (): Uint32Array => {
    order ??= sortRows(day.numbers('propertyHit').length, [
      valuesOf('propertyKey'),
      Uint32Array.from(day.numbers('propertyHit')),
    ]);
    return order;
  };
  const textsOf = (name: TextName): TextColumn => {
    const { dictionary } = day.texts(name);
    const own = become(dictionary);
    // Ids that come in the same order have the same codes.
    if (own.every((id, code) => code === 0 || id > own[code - 1]!))
      return { kind: 'text', codes: day.keptCodes(name), dictionary: own };
    return textColumn(valuesOf(name));
  };
  return name => {
    const { table, kind } = columns[name];
    if (table !== 'property') return textsOf(name as TextName);
    if (kind === 'text') return textColumn(gather(valuesOf(name as TextName), properties()));
    return numberColumn(gatherDoubles(Float64Array.from(day.numbers(name as NumberName)), properties()));
  };
};

interface SharedTexts {
  texts: TextReader;
  /** What ids of a site's texts become. */
  ids(site: number, ids: Uint32Array): Uint32Array;
}

const sharedTexts = (texts: TextReader, siteIds: readonly number[]): SharedTexts => {
  /** By site, what each of its ids became; 0 where it was not met. */
  const given = new Map<number, GrowingColumn<Uint32Array>>(siteIds.map(site => [site, growingIntegers()]));
  /** By the id that was given, one of the sites that have the text, and its id there. 0 is null. */
  const [sites, own] = [growingIntegers(), growingIntegers()];
  for (const each of [sites, own]) each.push(0);

  const met = (site: number, id: number): number => {
    const ofSite = given.get(site)!;
    return id < ofSite.length ? ofSite.values()[id]! : 0;
  };
  const metElsewhere = (site: number, text: string): number => {
    for (const other of siteIds) {
      const id = other === site ? 0 : texts.find(other, text);
      const found = id === 0 ? 0 : met(other, id);
      if (found !== 0) return found;
    }
    return 0;
  };
  const give = (site: number, id: number): number => {
    if (id === 0) return 0;
    const known = met(site, id);
    if (known !== 0) return known;
    let found = metElsewhere(site, texts.text(site, id)!);
    if (found === 0) {
      found = sites.length;
      sites.push(site);
      own.push(id);
    }
    const ofSite = given.get(site)!;
    ofSite.lengthen(Math.max(ofSite.length, id + 1), 0);
    ofSite.values()[id] = found;
    return found;
  };

  const text = (id: number): string | null => texts.text(sites.values()[id]!, own.values()[id]!);
  const between = (first: number, last: number): number[] => {
    const from = Math.max(first, 1);
    return Array.from({ length: Math.max(0, Math.min(last + 1, sites.length) - from) }, (_, i) => from + i);
  };
  return {
    ids: (site, ids) => ids.map(id => give(site, id)),
    texts: {
      text: (_, id) => (id === 0 ? null : text(id)),
      lines: (_, first, last) =>
        `\n${between(first, last)
          .map(id => `${text(id)}\n`)
          .join('')}`,
      ids: (_, first, last) => between(first, last),
      find(_, wanted) {
        for (const site of siteIds) {
          const id = texts.find(site, wanted);
          if (id !== 0) return give(site, id);
        }
        return 0;
      },
      // No index knows the order of the texts of several sites.
      first: () => undefined,
    },
  };
};
