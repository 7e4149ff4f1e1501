/** Lists of visits, and what is known of one visit or visitor. */
import { pageFields } from '../../model/columns.ts';
import { type HitType, hitTypeName, scrollOf, secondsOf } from '../../model/hit.ts';
import { identityOf } from '../../model/traits.ts';
import { searchedFields, visitFieldNames } from '../../model/visit-fields.ts';
import type { AnswerOf, LatestHit, QuestionOf, VisitHit } from '../../query/query.ts';
import { latestHitTexts } from '../../query/query.ts';
import { type Money, noMoney } from '../../query/rows/revenue.ts';
import { compareText } from '../../query/rows/top-rows.ts';
import { visitPieces, visitWriter } from '../../query/rows/visit-csv-json.ts';
import type { VisitRow } from '../../query/rows/visit-row.ts';
import { contains } from '../conditions.ts';
import { type Cell, namedTexts, number, orNull, type ResultRow, type Scope } from '../run.ts';
import type { RowSource } from '../source.ts';
import { all, any, float, hash, text } from '../sql.ts';
import { runsThrough } from './funnel.ts';
import { convertedAmount, hasRate, moneyBy } from './money.ts';

type VisitsQuestion = QuestionOf<'visits'>;

/** 18.16 has no function that fills up with zeros. */
const visitorHex = `lower(substring(concat('0000000000000000', hex(visitor)), -16))`;

/** What names a visit: the parts of its id. */
interface Key {
  day: number;
  visitor: bigint;
  started: number;
}

interface Chosen extends Key {
  /** As `keyOfVisit` has it. */
  visit: string;
  value: number;
}

/** Tells visits of several sites apart, too, whose numbers may be the same. */
const keyOfVisit = (site: string): string => `concat(toString(${site}), ' ', toString(visit))`;

const hexText = (visitor: bigint): string => visitor.toString(16).padStart(16, '0');
const idOf = ({ day, visitor, started }: Key): string => `${day}-${hexText(visitor)}-${started}`;
const readId = (id: string): { day: string; visitor: string; started: string } | null =>
  (/^(?<day>\d{1,5})-(?<visitor>[\da-f]{16})-(?<started>\d{1,15})$/.exec(id)?.groups as never) ?? null;

export const visits = async (scope: Scope, question: VisitsQuestion): Promise<AnswerOf<'visits'>> => {
  const { limit, form } = question;
  const chosen = await choose(scope, question);
  const page = chosen.slice(0, limit);
  const write = visitWriter(form, scope.query.currency);
  const rows = page.length === 0 ? [] : await rowsOf(scope, page);
  const last = chosen.length > limit ? page.at(-1)! : null;
  return {
    kind: 'visits',
    pieces: visitPieces(rows.map(write), form),
    next: last === null ? null : { value: last.value, id: idOf(last) },
  };
};

const scores = (scope: Scope): Record<VisitsQuestion['sort'], string> => ({
  started: 'any(started)',
  duration: 'any(duration)',
  pageviews: 'any(pageviews)',
  events: 'any(hits) - any(pageviews)',
  revenue: `sumIf(${convertedAmount(scope.query)}, type = 4 and ${hasRate(scope.query)})`,
});

/** The visits that come first, and one more. */
const choose = async (scope: Scope, question: VisitsQuestion): Promise<Chosen[]> => {
  const { run, selection } = scope;
  const { sort, descending, limit, after } = question;
  const where = all([selection.visits, ...conditionsOf(scope, question)]);
  const found = `select visit, any(site) as of, any(day) as d, any(visitor) as w, any(started) as s, ${scores(scope)[sort]} as score
    from ${selection.table} where ${where} group by visit`;
  const behind = after === null ? '' : `where ${behindSql(after.value, after.id, descending)}`;
  const shards = await run(`select toUInt32(d), toString(w), ${keyOfVisit('of')}, score, s from (${found}) ${behind}
    order by score ${descending ? 'desc' : 'asc'}, d, w, s limit ${limit + 1}`);
  const sign = descending ? -1 : 1;
  return shards
    .flat()
    .map(([day, visitor, visit, value, started]): Chosen => {
      const key = { day: number(day), visitor: BigInt(String(visitor)), started: number(started) };
      return { ...key, visit: String(visit), value: number(value) };
    })
    .sort((a, b) => sign * (a.value - b.value) || compareKeys(a, b))
    .slice(0, limit + 1);
};

const compareKeys = (a: Key, b: Key): number =>
  a.day - b.day || (a.visitor < b.visitor ? -1 : a.visitor > b.visitor ? 1 : a.started - b.started);

const behindSql = (value: number, id: string, descending: boolean): string => {
  const key = readId(id);
  const beyond = `score ${descending ? '<' : '>'} ${float(value)}`;
  if (key === null) return beyond;
  const { day, visitor, started } = key;
  const place = `(d, w, s) > (toDate(${day}), ${hash(visitor)}, toInt64(${started}))`;
  return any([beyond, all([`score = ${float(value)}`, place])]);
};

const conditionsOf = (scope: Scope, question: VisitsQuestion): string[] => {
  const { search, converted, bounced, paid, returning, steps = [] } = question;
  const through = steps.length === 0 ? null : runsThrough(scope.selection, steps, 'visit');
  return [
    ...(search === '' ? [] : [searchSql(search)]),
    ...(converted ? ['converted'] : []),
    ...(bounced ? ['pageviews <= 1'] : []),
    ...(paid ? ['paid'] : []),
    ...(returning ? [returningSql(scope.selection)] : []),
    ...(through === null ? [] : [`visit in (select visit from (${through}) where t${steps.length} > 0)`]),
  ];
};

/** A visit whose visitor came before: on an earlier day, or that day on any node. */
const returningSql = ({ table, days }: RowSource): string => {
  const firsts = `select day, persistent, visitor, min(started) from ${table} where ${days} group by day, persistent, visitor`;
  return any(['seenBefore', `(day, persistent, visitor, started) not in (${firsts})`]);
};

const searchSql = (search: string): string => {
  const isRead = /[^\p{ASCII}]/u.test(search);
  const inTexts = searchedFields.flatMap(name => [
    contains(name, search),
    // What is stored of a path is ASCII alone.
    ...(isRead && name.endsWith('Path') ? [contains(`decodeURLComponent(toString(${name}))`, search)] : []),
  ]);
  return any([...inTexts, `position(${visitorHex}, ${text(search.toLowerCase())}) > 0`]);
};

const facts = [
  ...(['started', 'duration', 'width', 'height', 'pageviews', 'hits', 'seenBefore', 'traits'] as const),
  ...visitFieldNames,
];

interface Facts {
  text(name: (typeof facts)[number]): string | null;
  number(name: (typeof facts)[number]): number;
}

/** What is known of some visits, and their revenue. */
const factsOf = async (scope: Scope, chosen: readonly Key[]) => {
  const { table, days } = scope.selection;
  const daysOf = [...new Set(chosen.map(({ day }) => `toDate(${day})`))];
  const visitors = [...new Set(chosen.map(({ visitor }) => `toUInt64(${visitor})`))];
  const where = all([days, `day in (${daysOf.join(', ')})`, `visitor in (${visitors.join(', ')})`]);
  const [shards, money] = await Promise.all([
    scope.run(
      `select ${keyOfVisit('any(site)')}, any(${visitorOfDay}), ${facts.map(name => `any(${name})`).join(', ')}
       from ${table} where ${where} group by visit`,
    ),
    moneyBy(scope, [keyOfVisit('site')], where),
  ]);
  const rows = new Map(shards.flat().map(([visit, ...cells]) => [String(visit), cells]));
  const firsts = new Map<Cell, number>();
  for (const [visitor, started] of rows.values())
    firsts.set(visitor!, Math.min(number(started), firsts.get(visitor!) ?? Number.POSITIVE_INFINITY));
  return (visit: string): Facts & { returning: boolean; money: Money } => {
    const [visitor, ...cells] = rows.get(visit)!;
    const cell = (name: (typeof facts)[number]): Cell => cells[facts.indexOf(name)]!;
    return {
      text: name => orNull(cell(name)),
      number: name => number(cell(name)),
      returning: number(cell('seenBefore')) === 1 || number(cell('started')) > firsts.get(visitor!)!,
      money: money([visit]),
    };
  };
};

/** A visitor's day, by what tells it from others. */
const visitorOfDay = `concat(toString(visitor), ' ', toString(persistent), ' ', toString(toUInt32(day)))`;

const rowsOf = async (scope: Scope, chosen: readonly Chosen[]): Promise<VisitRow[]> => {
  const of = await factsOf(scope, chosen);
  return chosen.map((key): VisitRow => {
    const known = of(key.visit);
    const pageviews = known.number('pageviews');
    return {
      id: idOf(key),
      started: key.started,
      ended: key.started + known.number('duration'),
      visitor: hexText(key.visitor),
      ...namedTexts(visitFieldNames, visitFieldNames.map(known.text)),
      width: known.number('width'),
      height: known.number('height'),
      pageviews,
      events: known.number('hits') - pageviews,
      bounce: pageviews <= 1,
      returning: known.returning,
      ...known.money,
    };
  });
};

export const visitor = async (scope: Scope, { visitor: hex }: QuestionOf<'visitor'>): Promise<AnswerOf<'visitor'>> => {
  const { run, selection } = scope;
  const hits = all([selection.visits, `visitor = ${hash(hex)}`]);
  const fields = ['started', 'duration', 'pageviews', 'hits', 'identified', 'traits'];
  const [shards, money] = await Promise.all([
    run(`select ${fields.map(name => `any(${name})`).join(', ')} from ${selection.table} where ${hits} group by visit`),
    moneyBy(scope, ['0'], hits),
  ]);
  const rows = shards.flat().sort((a, b) => number(a[0]) - number(b[0]));
  const sum = (of: (row: ResultRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const said = rows.flatMap(([, , , , name, traits]) =>
    traits === '' ? [] : [{ name: String(name), traits: String(traits) }],
  );
  return {
    kind: 'visitor',
    visits: rows.length,
    pageviews: sum(row => number(row[2])),
    events: sum(row => number(row[3]) - number(row[2])),
    ...(rows.length === 0 ? noMoney() : money([0])),
    firstAt: rows.length === 0 ? null : number(rows[0]![0]),
    lastAt:
      rows.length === 0 ? null : Math.max(...rows.map(([started, duration]) => number(started) + number(duration))),
    identity: identityOf(said),
  };
};

export const visitHits = async (
  { run, selection }: Scope,
  { id }: QuestionOf<'visitHits'>,
): Promise<AnswerOf<'visitHits'>> => {
  const key = readId(id);
  if (key === null) return { kind: 'visitHits', hits: [] };
  const isOf = all([`day = toDate(${key.day})`, `visitor = ${hash(key.visitor)}`, `started = ${key.started}`]);
  const shards = await run(
    `select at, type, secondsOnPage, scroll, amount, currency, prop_key, prop_text, ${pageFields.join(', ')}
     from ${selection.table} where ${all([selection.visits, isOf])} order by id`,
  );
  return { kind: 'visitHits', hits: shards.flat().map(hitOf) };
};

const hitOf = ([at, type, seconds, scroll, amount, currency, keys, values, ...page]: ResultRow): VisitHit => ({
  at: number(at),
  type: hitTypeName(number(type)) as HitType,
  ...namedTexts(pageFields, page),
  secondsOnPage: secondsOf(number(seconds), number(scroll)),
  scroll: scrollOf(number(scroll)),
  revenue: number(type) === 4 ? { amount: number(amount), currency: String(currency) } : null,
  properties: (keys as string[])
    .map((key, i) => ({ key, value: orNull((values as string[])[i]) }))
    .sort((a, b) => compareText(a.key, b.key)),
});

export const latestHits = async (
  { run, selection }: Scope,
  { limit }: QuestionOf<'latestHits'>,
): Promise<AnswerOf<'latestHits'>> => {
  const shards = await run(
    `select at, type, toUInt32(day), toString(visitor), started, toString(id), ${latestHitTexts.join(', ')}
     from ${selection.table} where ${selection.hits} order by at desc, day, visitor, started, id desc limit ${limit}`,
  );
  const found = shards.flat().map(([at, type, day, of, started, id, ...texts]) => ({
    ...{ at: number(at), type: number(type), id: BigInt(String(id)), texts },
    key: { day: number(day), visitor: BigInt(String(of)), started: number(started) },
  }));
  found.sort((a, b) => b.at - a.at || compareKeys(a.key, b.key) || (b.id > a.id ? 1 : -1));
  const hits = found.slice(0, limit).map(({ at, type, key, texts }): LatestHit => {
    const of = { visit: idOf(key), visitor: hexText(key.visitor) };
    return { at, type: hitTypeName(type) as HitType, ...namedTexts(latestHitTexts, texts), ...of };
  });
  return { kind: 'latestHits', hits };
};

export const lastHit = async ({ run, selection }: Scope): Promise<AnswerOf<'lastHit'>> => {
  const times = found(await run(`select count(), max(at) from ${selection.table} where ${selection.hits}`));
  return { kind: 'lastHit', at: times.length === 0 ? null : Math.max(...times) };
};

/** The slice is all there ever was. */
export const firstHit = async ({ run, selection }: Scope): Promise<AnswerOf<'firstHit'>> => {
  const times = found(await run(`select count(), min(at) from ${selection.table} where ${selection.days}`));
  return { kind: 'firstHit', at: times.length === 0 ? null : Math.min(...times) };
};

/** The second cell of rows whose first is a count above 0. */
const found = (shards: readonly ResultRow[][]): number[] =>
  shards.flat().flatMap(([count, at]) => (number(count) > 0 ? [number(at)] : []));
