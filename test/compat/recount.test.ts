/** What other products' clients are told of random sites is what a naive recount finds, and what our own API tells. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answerOf } from '../../src/api/endpoint.ts';
import type { DimensionName } from '../../src/model/dimensions.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import type { FieldFilter, Filter, Question } from '../../src/query/query.ts';
import { headline, topRowsOf, topValues } from '../../src/query/usual-questions.ts';
import { sites } from '../../src/store/sites.ts';
import { type NaiveSite, naiveReport } from '../naive.ts';
import { days, firstDay, type Random, randomFrom, randomSite, storeSite } from '../query/random-site.ts';
import { totalsIn } from '../query/totals-in.ts';
import { type Program, startProgram } from './fixture.ts';

const program = await startProgram();
// Noon of the last day, which is open, as is the one before it.
program.clock.now = (firstDay + days - 1) * dayMs + 12 * hourMs;

/** Dimensions whose values are written as here. */
const plain: [theirs: string, ours: DimensionName][] = [
  ['event:page', 'path'],
  ['event:hostname', 'hostname'],
  ['visit:entry_page', 'entryPath'],
  ['visit:exit_page', 'exitPath'],
  ['visit:utm_source', 'utmSource'],
  ['visit:utm_campaign', 'utmCampaign'],
  ['visit:browser', 'browser'],
  ['visit:os', 'os'],
  ['visit:country', 'country'],
  ['visit:city', 'city'],
];

interface Case {
  filters: Filter[];
  theirs: unknown[];
}

const valuesOf = (hits: NaiveSite, siteId: number, field: DimensionName): string[] =>
  recount(hits, siteId, [], topValues(field, 500)).rows.map(({ name }) => name);

const from = firstDay * dayMs;
const to = (firstDay + days) * dayMs;

const recount = <K extends Question['kind']>(
  hits: NaiveSite,
  siteId: number,
  filters: Filter[],
  question: Question & { kind: K },
  span = { from, to },
) => {
  const slices = [{ ...span, filters, questions: [question] }];
  return answerOf(naiveReport(hits, { siteId, currency: 'EUR', minorRates: {}, slices })[0], question.kind as K);
};

const operators: [theirs: string, ours: Pick<FieldFilter, 'operator' | 'negated'>][] = [
  ['is', { operator: 'is', negated: false }],
  ['is_not', { operator: 'is', negated: true }],
  ['contains', { operator: 'contains', negated: false }],
  ['contains_not', { operator: 'contains', negated: true }],
];

/** A filter of both, and lists of them. */
const randomCase = (random: Random, values: (field: DimensionName) => string[]): Case => {
  const one = (depth: number): { theirs: unknown; ours: Filter } => {
    if (depth < 2 && random.chance(0.4)) {
      const all = Array.from({ length: 2 }, () => one(depth + 1));
      const theirs = all.map(each => each.theirs);
      const ours = all.map(each => each.ours);
      if (random.chance(0.3))
        return { theirs: ['or', theirs], ours: { anyOf: ours.map(filter => [filter]), negated: false } };
      if (random.chance(0.4)) return { theirs: ['and', theirs], ours: { anyOf: [ours], negated: false } };
      if (random.chance(0.5)) return { theirs: ['not', theirs[0]], ours: { anyOf: [[ours[0]!]], negated: true } };
    }
    const [name, field] = random.pick(plain);
    const [operator, kind] = random.pick(operators);
    const found = values(field);
    const picked = found.length === 0 ? ['nothing'] : [random.pick(found), random.pick(found)];
    const shown = kind.operator === 'contains' ? picked.map(value => value.slice(0, 3)) : picked;
    const simple = { theirs: [operator, name, shown] as unknown, ours: { field, ...kind, values: shown } as Filter };
    return random.chance(0.2) && depth === 0
      ? { theirs: ['has_done', simple.theirs], ours: { anyOf: [[simple.ours]], negated: false, visit: true } }
      : simple;
  };
  const list = Array.from({ length: random.below(3) }, () => one(0));
  return { theirs: list.map(({ theirs }) => theirs), filters: list.map(({ ours }) => ours) };
};

const ask = async ({ ask }: Program, domain: string, body: object) => {
  const range = ['1970-01-01', '1970-01-01'].map((_, i) =>
    new Date(i === 0 ? from : to - dayMs).toISOString().slice(0, 10),
  );
  const got = await ask('/api/v2/query', { body: { site_id: domain, date_range: range, ...body } });
  assert.is(got.status, 200, `${JSON.stringify(body)} ${got.text}`);
  return got.body.results.map(({ dimensions, metrics }: { dimensions: string[]; metrics: number[] }) => [
    ...dimensions,
    ...metrics,
  ]) as (string | number)[][];
};

const bySize = (rows: (string | number)[][]): (string | number)[][] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

for (const seed of [1, 2, 3, 4]) {
  const random = randomFrom(seed);
  const hits = randomSite(random);
  const siteId = storeSite(program.db, hits, firstDay + days - 2);
  const { uuid } = sites(program.db)
    .list()
    .find(({ id }) => id === siteId)!;

  test(`site ${seed}: totals, series and breakdowns equal a recount`, async () => {
    for (let i = 0; i < 15; i++) {
      const { filters, theirs } = randomCase(random, field => valuesOf(hits, siteId, field));
      const about = JSON.stringify(theirs);
      const totals = totalsIn(recount(hits, siteId, filters, headline));
      const metrics = ['visitors', 'visits', 'pageviews', 'events', 'bounce_rate', 'visit_duration', 'views_per_visit'];
      const { visitors, visits, pageviews, events, bounces, visitMs } = totals;
      const per = (part: number, digits = 0): number =>
        visits === 0 ? 0 : Math.round((part / visits! + Number.EPSILON) * 10 ** digits) / 10 ** digits;
      const want = [
        visitors,
        visits,
        pageviews,
        pageviews! + events!,
        per(bounces! * 100),
        per(visitMs! / 1000),
        per(pageviews!, 2),
      ];
      assert.equal(await ask(program, uuid, { metrics, filters: theirs }), [want], about);

      const bounds = Array.from({ length: days + 1 }, (_, day) => from + day * dayMs);
      const series = recount(hits, siteId, filters, {
        kind: 'metricSeries',
        metrics: ['visitors', 'pageviews', 'visits'],
        bounds,
      });
      const found = await ask(program, uuid, {
        metrics: ['visitors', 'pageviews'],
        filters: theirs,
        dimensions: ['time:day'],
      });
      const expected = bounds.slice(0, -1).flatMap((at, day) => {
        const [visitors, pageviews] = series.rows[day]!.values;
        return visitors === 0 ? [] : [[new Date(at).toISOString().slice(0, 10), visitors!, pageviews!]];
      });
      assert.equal(found, expected, about);

      const [name, dimension] = plain[i % plain.length]!;
      const rows = topRowsOf(recount(hits, siteId, filters, topValues(dimension, 500)));
      const named = (await ask(program, uuid, { metrics: ['visitors'], filters: theirs, dimensions: [name] })).filter(
        ([value]) => value !== '(not set)',
      );
      assert.equal(
        named,
        rows.map(row => [row.name, row.value]),
        `${about} ${name}`,
      );
    }
  });

  test(`site ${seed}: two dimensions equal a recount of each pair`, async () => {
    for (const [first, second] of [
      ['visit:country', 'event:page'],
      ['visit:browser', 'visit:utm_source'],
      ['time:day', 'visit:os'],
    ] as const) {
      const wholeDays = Array.from({ length: days }, (_, day) => from + day * dayMs);
      const fieldOf = (name: string) => plain.find(([theirs]) => theirs === name)![1];
      const groups: { label: string; filters: Filter[]; span?: { from: number; to: number } }[] =
        first === 'time:day'
          ? wholeDays.map(at => ({
              label: new Date(at).toISOString().slice(0, 10),
              filters: [],
              span: { from: at, to: at + dayMs },
            }))
          : withNone(first, valuesOf(hits, siteId, fieldOf(first)), fieldOf(first));
      const want = groups.flatMap(({ label, filters, span }) =>
        withNone(second, valuesOf(hits, siteId, fieldOf(second)), fieldOf(second)).flatMap(inner => {
          const totals = totalsIn(recount(hits, siteId, [...filters, ...inner.filters], headline, span));
          return totals.visitors === 0 ? [] : [[label, inner.label, totals.visitors!, totals.pageviews!]];
        }),
      );
      const found = await ask(program, uuid, { metrics: ['visitors', 'pageviews'], dimensions: [first, second] });
      assert.equal(bySize(found), bySize(want), `${first} ${second}`);
    }
  });

  test(`site ${seed}: Umami’s numbers equal a recount`, async () => {
    const window = `startAt=${from}&endAt=${to - 1}`;
    const get = async (path: string) => {
      const got = await program.ask(`/api/websites/${uuid}/${path}`);
      assert.is(got.status, 200, `${path} ${got.text}`);
      return got.body;
    };
    for (const [query, filters] of [
      ['', []],
      ['&country=DE,FR', [{ field: 'country', operator: 'is', negated: false, values: ['DE', 'FR'] }]],
      ['&path=c.a', [{ field: 'path', operator: 'contains', negated: false, values: ['a'] }]],
      ['&eventType=2', [{ field: 'event', operator: 'is', negated: true, values: [''] }]],
    ] as [string, Filter[]][]) {
      const totals = totalsIn(recount(hits, siteId, filters, headline));
      const { comparison: _, ...stats } = await get(`stats?${window}${query}`);
      const { pageviews, visitors, visits, bounces, visitMs } = totals;
      assert.equal(stats, { pageviews, visitors, visits, bounces, totaltime: Math.round(visitMs! / 1000) }, query);
      for (const [type, dimension] of [
        ['path', 'path'],
        ['entry', 'entryPath'],
        ['os', 'os'],
        ['utmSource', 'utmSource'],
      ] as [string, DimensionName][]) {
        const rows = topRowsOf(recount(hits, siteId, filters, topValues(dimension, 500)));
        const want = rows.filter(({ name }) => name !== '').map(({ name, value }) => ({ x: name, y: value }));
        assert.equal(await get(`metrics?type=${type}&${window}${query}`), want, `${type} ${query}`);
      }
      const series = await get(`pageviews?unit=day&timezone=UTC&${window}${query}`);
      const sum = (points: { y: number }[]): number => points.reduce((all, { y }) => all + y, 0);
      assert.is(sum(series.pageviews), pageviews, query);
    }
  });
}

/** The values of a dimension, and for those that name it, no value. */
const withNone = (name: string, values: string[], field: DimensionName): { label: string; filters: Filter[] }[] => {
  const isNamed = /utm|browser|os$/.test(name);
  return [...values, ...(isNamed ? [''] : [])].map(value => ({
    label: value === '' ? '(not set)' : value,
    filters: [{ field, operator: 'is' as const, negated: false, values: [value] }],
  }));
};

test.after(() => program.close());
test.run();
