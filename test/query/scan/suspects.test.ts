/** Visits that look automated, against plain loops over their hits. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import { createEngine } from '../../../src/query/engine.ts';
import { alone } from '../../../src/query/pace.ts';
import type { Filter } from '../../../src/query/query.ts';
import { headline, topValues } from '../../../src/query/usual-questions.ts';
import { openReader } from '../../../src/store/database.ts';
import { sealAll } from '../../../src/store/day/seal.ts';
import { temporaryDatabase } from '../../helpers.ts';
import { type NaiveHit, type NaiveSite, type NaiveVisit, naiveReport, naiveSuspect } from '../../naive.ts';
import { randomFrom, siteWriter } from '../random-site.ts';

const day = 20_000;

const visitOf = (id: number, network: string | null): NaiveVisit => ({
  ...{ id, day, visitor: id.toString(16).padStart(16, '0'), persistent: false },
  ...{ referrer: null, utmSource: null, utmMedium: null, utmCampaign: null, utmTerm: null, utmContent: null },
  ...{ country: null, region: null, city: null, language: null, browser: null, os: null, device: 'desktop' },
  ...{ clickId: null, network, width: 0, height: 0 },
});

const hitsOf = (visit: NaiveVisit, offsets: readonly number[], last: NaiveHit['type'] = 'pageview'): NaiveHit[] =>
  offsets.map((offset, i) => ({
    visit,
    at: day * dayMs + visit.id * 1000 + offset,
    type: i === offsets.length - 1 ? last : 'pageview',
    ...{ path: `/${i}`, hostname: 'example.com', title: null, query: null, duration: 0, scroll: null },
    event: i === offsets.length - 1 && last === 'custom' ? 'Signup' : null,
    ...{ revenue: null, properties: [], identity: null },
  }));

const every = (ms: number, count: number): number[] => Array.from({ length: count }, (_, i) => i * ms);
const cases: [name: string, want: string | null, hits: (id: number) => NaiveHit[]][] = [
  ['a hosting network', 'hosting', id => hitsOf(visitOf(id, 'AS24940 Hetzner Online GmbH'), [0, 3000, 90_000])],
  ['it comes before all others', 'hosting', id => hitsOf(visitOf(id, 'AS16509 Amazon.com, Inc.'), [0])],
  ['another network', null, id => hitsOf(visitOf(id, 'AS3320 Deutsche Telekom AG'), [0, 3000])],
  ['200 pageviews', 'many-pages', id => hitsOf(visitOf(id, null), every(1000, 200))],
  ['199 pageviews at a regular pace', 'regular-pace', id => hitsOf(visitOf(id, null), every(1000, 199))],
  ['10 pageviews at once', 'regular-pace', id => hitsOf(visitOf(id, null), every(0, 10))],
  ['9 pageviews at a regular pace', null, id => hitsOf(visitOf(id, null), every(1000, 9))],
  ['pauses that differ by a tenth', 'regular-pace', id => hitsOf(visitOf(id, null), [...every(1000, 9), 9100])],
  ['pauses that differ by more', null, id => hitsOf(visitOf(id, null), [...every(1000, 9), 9101])],
  ['10 hits, of which 9 are pageviews', null, id => hitsOf(visitOf(id, null), every(1000, 10), 'custom')],
  ['one pageview and nothing else', 'no-interaction', id => hitsOf(visitOf(id, null), [0])],
  ['one pageview that was looked at', null, id => hitsOf(visitOf(id, null), [0, 4000], 'duration')],
  ['one pageview and an event', null, id => hitsOf(visitOf(id, null), [0, 0], 'custom')],
  ['an event alone', null, id => hitsOf(visitOf(id, null), [0], 'custom')],
];

const site: NaiveSite = cases.flatMap(([, , hits], i) => hits(i + 1)).sort((a, b) => a.at - b.at);
const random = randomFrom(5);
/** Visits of 8 to 13 pageviews at a pace that is more or less regular. */
for (let id = 100; id < 200; id++) {
  const slack = random.pick([0, 90, 110, 400]);
  let at = 0;
  const offsets = Array.from({ length: 8 + random.below(6) }, () => {
    at += 1000 + random.below(slack + 1);
    return at;
  });
  site.push(
    ...hitsOf(visitOf(id, random.pick([null, 'AS3320 Deutsche Telekom AG', 'AS16509 Amazon.com, Inc.'])), offsets),
  );
}

test('a visit is suspect for the first reason that holds', () => {
  for (const [i, [name, want]] of cases.entries()) {
    const visit = site.find(hit => hit.visit.id === i + 1)!.visit;
    assert.is(naiveSuspect(site, visit), want, name);
  }
});

test('days tell the same as plain loops, while they are open and sealed', async () => {
  const { db, dataDir } = temporaryDatabase();
  const { siteId, write } = siteWriter(db);
  write(site);
  const is = (field: 'suspect' | 'networkKind', values: string[], negated = false): Filter => ({
    ...{ field, operator: 'is', negated, values },
  });
  const filters: Filter[][] = [
    [],
    ...cases.flatMap(([, want]) => (want === null ? [] : [[is('suspect', [want])], [is('suspect', [want], true)]])),
    [is('suspect', [''])],
    [is('suspect', ['hosting', 'many-pages'], true)],
    [is('networkKind', ['hosting'])],
    [is('networkKind', [''], true)],
    [{ field: 'suspect', operator: 'contains', negated: false, values: ['PACE'] }],
  ];
  const query = {
    ...{ siteId, currency: 'EUR', minorRates: {} },
    slices: filters.map(filters => ({
      ...{ from: day * dayMs, to: (day + 1) * dayMs, filters },
      questions: [headline, topValues('suspect', 10), topValues('networkKind', 10)],
    })),
  };
  const want = naiveReport(site, query);
  const ask = async (): Promise<unknown> => {
    const reader = openReader(dataDir);
    const engine = createEngine(reader, 1e6);
    const first = await engine.answer(query, alone);
    assert.equal(await engine.answer(query, alone), first, 'again');
    reader.close();
    return first;
  };
  assert.equal(await ask(), want);
  sealAll(db, day + 1, 0, 300);
  assert.equal(await ask(), want);
  db.close();
});

test.run();
