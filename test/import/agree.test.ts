/** An import of each product's export, compared with what there was, in every table that the product has. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DimensionName } from '../../src/model/dimensions.ts';
import type { AnswerOf } from '../../src/query/query.ts';
import { headline, topRowsOf, topValues } from '../../src/query/usual-questions.ts';
import { totalsIn } from '../query/totals-in.ts';
import { importing } from './importing.ts';
import type { Visit } from './worlds.ts';
import * as worlds from './worlds.ts';

type ValuesOf = (visit: Visit) => readonly (string | null)[];
type Tables = Partial<Record<DimensionName, ValuesOf>>;

const tables = {
  browser: ({ client }) => [client.live[0]],
  os: ({ client }) => [client.live[1]],
  country: ({ country }) => [country],
  referrer: ({ source }) => [source.domain ?? 'Direct / none'],
  utmSource: ({ source }) => [source.utm || null],
  channel: ({ source }) => [source.channel],
  path: ({ actions }) => actions.map(({ path }) => encodeURI(path)),
  event: ({ actions }) => actions.map(({ event }) => event ?? null),
} satisfies Tables;

/** Tables of counts have paths as they were written. */
const writtenPath: ValuesOf = ({ actions }) => actions.map(({ path, event }) => (event === undefined ? path : null));
const { channel: _, browser: __, ...ofCounts } = tables;

const products: [name: string, files: () => Record<string, string | Buffer>, tables: Tables][] = [
  ['umami', () => ({ 'website_event.csv': worlds.umamiFile() }), tables],
  ['plausible-ce', () => ({ 'events_v2.json': worlds.plausibleEventsFile() }), tables],
  ['matomo', () => ({ 'visits.json': worlds.matomoFile() }), tables],
  [
    'goatcounter',
    () => ({ 'export.csv': worlds.goatcounterFile() }),
    // It tells no page of an event: the site's own address stands for it.
    {
      ...tables,
      path: ({ actions }) => actions.map(({ path, event }) => (event === undefined ? encodeURI(path) : '/')),
    },
  ],
  ['plausible', () => ({ 'export.zip': worlds.plausibleZip() }), { ...ofCounts, path: writtenPath }],
  ['ga4', () => ({ 'answer.json': worlds.ga4Answer() }), { ...ofCounts, browser: tables.browser, path: writtenPath }],
];

for (const [name, files, dimensions] of products)
  test(`${name}: every table and the totals agree with the source`, async () => {
    const { run, ask } = await importing();
    const ran = await run(files());
    assert.is(ran.stderr, '');
    assert.is(ran.json().format, name);
    const names = Object.keys(dimensions) as DimensionName[];
    const [all, ...rows] = await ask(
      ...([...worlds.window, [], headline] as unknown as [number, number, [], typeof headline]),
      ...names.map(dimension => topValues(dimension, 100)),
    );
    const { revenue: _, otherRevenue: __, ...totals } = totalsIn(all);
    assert.equal(totals, worlds.truth);
    for (const [i, dimension] of names.entries()) {
      const found = topRowsOf(rows[i] as AnswerOf<'table'>).map(row => [row.name, row.value] as const);
      const want = Object.entries(worlds.visitorsBy(dimensions[dimension]!));
      assert.equal(Object.fromEntries(found.sort()), Object.fromEntries(want.sort()), dimension);
    }
  });

test.run();
