/** Visits that look automated are shown apart, and left out where the site says so. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutLeftOut } from '../../src/api/suspects.ts';
import type { Site } from '../../src/model/site.ts';
import { dayMs } from '../../src/model/time.ts';
import type { Filter, Question, Slice } from '../../src/query/query.ts';
import { headline } from '../../src/query/usual-questions.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { sites } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, visitRecord } from '../helpers.ts';
import { now, record as recordVisits, startApi } from './fixture.ts';

const api = await startApi();
const site = addSite(api.db);
const today = Math.floor(now / dayMs);
const hosting = 'AS24940 Hetzner Online GmbH';

/** Yesterday, sealed, and today each have a visit of each kind, and one that is no suspect. */
const record = recorder(api.db);
let id = record.nextVisitId();
for (const day of [today - 1, today]) {
  for (const [i, { network, views, pause }] of [
    { network: hosting, views: 3, pause: 40_000 },
    { network: hosting, views: 1, pause: 0 },
    { network: 'AS3320 Deutsche Telekom AG', views: 200, pause: 2500 },
    { network: null, views: 12, pause: 5000 },
    { network: null, views: 1, pause: 0 },
    { network: 'AS3320 Deutsche Telekom AG', views: 2, pause: 0 },
  ].entries()) {
    const of = { siteId: site.id, day, visitId: id };
    const visitor = Buffer.alloc(8, i + 1);
    const visit = visitRecord({ siteId: site.id, day, id: id++, visitor, network });
    record.write(
      Array.from({ length: views }, (_, view) =>
        recordedEntry(
          hitRecord({ ...of, at: day * dayMs + 3_600_000 + view * pause, path: `/${i}` }),
          view === 0 ? visit : undefined,
        ),
      ),
    );
  }
}
sealAll(api.db, today, 0);

const ask = async (path: string) => (await api.get(`/api/${path}`)).body;
const ext = (name: string) => ask(`ext/sites/${site.uuid}/${name}`);
const visitsOf = async (query = ''): Promise<number> =>
  (await ask(`v1/sites/${site.uuid}/stats?range=7d${query}`)).visits;
const leaveOut = (leftOut: Site['leftOut']): void => sites(api.db).set(site.id, { ...site, leftOut });

test('suspect visits are counted by reason', async () => {
  const { data } = await ext('suspects?range=7d');
  assert.equal(data.map(Object.values), [
    ['hosting', 4, 4, 8, false],
    ['many-pages', 2, 2, 400, false],
    ['regular-pace', 2, 2, 24, false],
    ['no-interaction', 2, 2, 2, false],
  ]);
  assert.is(await visitsOf(), 12, 'and count like all others');
  const today = await ext('suspects?range=today&path=/0');
  assert.equal(today.data[0], { reason: 'hosting', visits: 1, visitors: 1, pageviews: 3, leftOut: false });
});

test('a site leaves them out of past days too, and takes that back', async () => {
  leaveOut(['hosting', 'no-interaction']);
  assert.is(await visitsOf(), 6);
  assert.is(await visitsOf('&network^=AS24940'), 0);
  const { data } = await ask(`v1/sites/${site.uuid}/breakdown?range=7d&dimension=path&limit=10`);
  assert.equal(data.map(({ name }: { name: string }) => name).sort(), ['/2', '/3', '/5']);
  assert.equal(
    (await ext('visits?range=7d&limit=50')).data.map(({ entryPath }: { entryPath: string }) => entryPath).sort(),
    ['/2', '/2', '/3', '/3', '/5', '/5'],
  );
  assert.match((await api.get(`/api/export/${site.uuid}?range=7d`)).text, /Visits,6/);

  const left = await ext('suspects?range=7d');
  assert.equal(
    left.data.map(({ visits, leftOut }: { visits: number; leftOut: boolean }) => [visits, leftOut]),
    [
      [4, true],
      [2, false],
      [2, false],
      [2, true],
    ],
    'they are counted apart all the same',
  );
  assert.is(await visitsOf('&suspect=hosting'), 4, 'and shown to whoever asks for them');
  const [visit] = (await ext('visits?range=7d&suspect=no-interaction')).data;
  assert.is((await ext(`hits?visit=${visit.id}`)).data.length, 1);

  leaveOut([]);
  assert.is(await visitsOf(), 12);
});

test('one place leaves them out, by one more filter', () => {
  const is: Filter = { field: 'country', operator: 'is', negated: false, values: ['DE'] };
  const bySuspect: Filter = { field: 'suspect', operator: 'startsWith', negated: true, values: ['h'] };
  const slice = (filters: Filter[], questions: Question[] = [headline]): Slice => ({
    ...{ from: 0, to: 1, filters, questions },
  });
  const added: Filter = { field: 'suspect', operator: 'is', negated: true, values: ['hosting'] };
  assert.equal(withoutLeftOut(slice([is]), ['hosting']).filters, [is, added]);
  for (const same of [
    slice([bySuspect]),
    slice([is, { anyOf: [[is], [is, bySuspect]], negated: false }]),
    slice([], [{ kind: 'visitHits', id: 'x' }]),
  ])
    assert.is(withoutLeftOut(same, ['hosting']), same);
  assert.equal(withoutLeftOut(slice([is]), []), slice([is]));
});

test('in a visitor’s day, hits of visits that are left out are no steps', () => {
  const isKept: Filter = { field: 'suspect', operator: 'is', negated: true, values: ['hosting'] };
  const steps: Filter[][] = [[{ field: 'path', operator: 'is', negated: false, values: ['/'] }], []];
  const asked = (scope: 'visit' | 'visitor'): Question[] =>
    withoutLeftOut({ from: 0, to: 1, filters: [], questions: [{ kind: 'funnel', scope, steps }] }, ['hosting'])
      .questions;
  assert.equal(asked('visit'), [{ kind: 'funnel', scope: 'visit', steps }]);
  assert.equal(asked('visitor'), [{ kind: 'funnel', scope: 'visitor', steps: steps.map(step => [...step, isKept]) }]);
});

test('what a page told is known, however little, and is an interaction', async () => {
  const told = [
    { duration: 800, scroll: 40 },
    { duration: 400, scroll: 50 },
    { duration: 400, scroll: null },
    { duration: 0, scroll: 0 },
    { duration: 0, scroll: null },
  ];
  const known = [
    [1, 40],
    [0, 50],
    [0, null],
    [0, 0],
    [null, null],
  ];
  for (const isSealed of [false, true]) {
    const other = addSite(api.db);
    const began = new Date((isSealed ? today - 1 : today) * dayMs + 3_600_000).toISOString();
    recordVisits(
      api.db,
      other,
      // As they come in one request, at the same instant.
      told.map((one, i) => ({ began, by: i, hits: [{ path: '/' }, { type: 'duration' as const, ...one }] })),
    );
    if (isSealed) sealAll(api.db, today, 0);
    const path = `ext/sites/${other.uuid}`;
    const { data: visits } = await ask(`${path}/visits?range=7d`);
    const hits = await Promise.all(visits.map(({ id }: { id: string }) => ask(`${path}/hits?visit=${id}`)));
    const shown = hits.map(({ data: [{ secondsOnPage, scroll }] }) => JSON.stringify([secondsOnPage, scroll]));
    assert.equal(shown.sort(), known.map(pair => JSON.stringify(pair)).sort());
    const { data } = await ask(`${path}/suspects?range=7d`);
    assert.is(data.at(-1).visits, 1, 'the one of which nothing is known');
    const [row] = (await ask(`${path}/table?range=7d&metrics=secondsOnPage,scroll&sort=pageviews`)).data;
    assert.equal([row.secondsOnPage, row.scroll], [0, 40]);
    assert.is((await ask(`${path}/table?range=7d&scroll=&metrics=pageviews,scroll`)).data[0].pageviews, 2);
    assert.is((await ask(`${path}/table?range=7d&scroll=&metrics=pageviews,scroll`)).data[0].scroll, null);
  }
});

test.after(() => api.close());

test.run();
