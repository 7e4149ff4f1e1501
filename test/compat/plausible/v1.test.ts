import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addAccount } from '../../api/fixture.ts';
import { startProgram } from '../fixture.ts';

const program = await startProgram();
const { ask } = program;
const stats = (path: string) => ask(`/api/v1/stats/${path}`);
const site = 'site_id=shop.example';

/** Of the breakdown of a week, the values and their visitors. */
const rows = async (query: string): Promise<[value: string, visitors: number][]> => {
  const { body, text } = await stats(`breakdown?${site}&period=7d&${query}`);
  assert.ok(body?.results, text);
  return body.results.map((row: Record<string, unknown>) => Object.values(row));
};
const visitors = async (filters: string): Promise<number> => {
  const { body, text } = await stats(`aggregate?${site}&period=7d&filters=${encodeURIComponent(filters)}`);
  assert.ok(body?.results, text);
  return body.results.visitors.value;
};

test('the visitors who are there now are a number alone', async () => {
  const { status, text } = await stats(`realtime/visitors?${site}`);
  assert.equal([status, text], [200, '1']);
});

test('totals are those of the API, written as there, with changes', async () => {
  const metrics = 'visitors,visits,pageviews,views_per_visit,bounce_rate,visit_duration,events';
  const { body } = await stats(`aggregate?${site}&period=7d&compare=previous_period&metrics=${metrics}`);
  assert.equal(body, {
    results: {
      visitors: { value: 5, change: 400 },
      visits: { value: 6, change: 500 },
      pageviews: { value: 8, change: 700 },
      views_per_visit: { value: 1.33, change: 33 },
      bounce_rate: { value: 67, change: -33 },
      visit_duration: { value: 34, change: 13 },
      events: { value: 14, change: 600 },
    },
  });
  const own = await ask('/api/v1/sites/shop.example/stats?range=7d');
  assert.is(body.results.visitors.value, own.body.visitors);
  assert.is(body.results.events.value, own.body.pageviews + own.body.events);
});

test('periods are relative to a date, in days of the site', async () => {
  const asked: [query: string, visitors: number][] = [
    ['period=day', 3],
    ['period=day&date=2026-11-18', 2],
    ['period=month', 6],
    ['period=month&date=2026-10-05', 0],
    ['period=30d', 6],
    ['', 6],
    ['period=30d&date=2026-12-10', 6],
    ['period=30d&date=2026-12-11', 5],
    ['period=6mo', 6],
    ['period=12mo', 6],
    ['period=custom&date=2026-11-18,2026-11-19', 3],
    ['period=custom&from=2026-11-18&to=2026-11-19', 3],
  ];
  for (const [query, want] of asked) {
    const { body } = await stats(`aggregate?${site}&${query}`);
    assert.equal(body, { results: { visitors: { value: want } } }, query);
  }
});

test('a series has every step, also those to come', async () => {
  const week = await stats(`timeseries?${site}&period=7d&metrics=visitors,visit_duration`);
  assert.equal(week.body.results.slice(3), [
    { date: '2026-11-17', visitors: 0, visit_duration: null },
    { date: '2026-11-18', visitors: 2, visit_duration: 60 },
    { date: '2026-11-19', visitors: 1, visit_duration: 20 },
    { date: '2026-11-20', visitors: 3, visit_duration: 22 },
  ]);
  const months = await stats(`timeseries?${site}&period=6mo`);
  assert.is(months.body.results.length, 6);
  assert.equal(months.body.results[5], { date: '2026-11-01', visitors: 6 });
  const days = await stats(`timeseries?${site}&period=month&interval=date`);
  assert.is(days.body.results.length, 30);
  const hours = await stats(`timeseries?${site}&period=day`);
  assert.is(hours.body.results.length, 24);
  assert.equal(hours.body.results[9], { date: '2026-11-20 09:00:00', visitors: 1 });
  const rates = await stats(`timeseries?${site}&period=7d&metrics=conversion_rate&filters=event:goal==Signup`);
  assert.equal(
    rates.body.results.slice(4).map(({ conversion_rate }: { conversion_rate: number }) => conversion_rate),
    [50, 0, 33.3],
  );
});

test('breakdowns have the names of Plausible', async () => {
  assert.equal(await rows('property=visit:source'), [
    ['Direct / None', 3],
    ['google.com', 1],
    ['=cmd.example', 1],
  ]);
  assert.equal(await rows('property=visit:device'), [
    ['Desktop', 3],
    ['Mobile', 2],
  ]);
  assert.equal(await rows('property=visit:channel'), [
    ['Direct', 3],
    ['Organic Search', 1],
    ['Email', 1],
    ['Referral', 1],
  ]);
  assert.equal(await rows('property=visit:utm_source'), [['newsletter', 1]]);
  assert.equal(await rows('property=event:props:plan'), [
    ['(none)', 5],
    ['free', 1],
    ['pro', 1],
  ]);
  const { body } = await stats(`breakdown?${site}&period=7d&property=event:page&limit=2&page=2`);
  assert.equal(body, { results: [{ page: '/pricing', visitors: 2 }] });
});

test('goals are those that are saved, paths, and events by their names', async () => {
  assert.equal((await rows('property=event:goal')).slice(0, 3), [
    ['Signup', 2],
    ['Purchase', 2],
    ['Stayed a minute', 1],
  ]);
  assert.is(await visitors('event:goal==Signup'), 2);
  assert.is(await visitors('event:goal==Purchase'), 2);
  assert.is(await visitors('event:goal==Visit /pricing'), 2);
  assert.is(await visitors('event:goal==Visit /b*|Signup'), 5 - 1);
  const { body } = await stats(
    `breakdown?${site}&period=7d&property=visit:country&metrics=visitors,conversion_rate&filters=event:goal==Signup`,
  );
  assert.equal(body, { results: [{ country: 'DE', visitors: 2, conversion_rate: 66.7 }] });
});

test('filters', async () => {
  const asked: [filters: string, visitors: number][] = [
    ['event:page==/pricing', 2],
    ['event:page==/pricing|/blog', 4],
    ['event:page==/p*', 2],
    ['event:page==**ing', 2],
    ['event:page~RIC', 2],
    ['event:page!~ric', 5],
    ['visit:country!=DE', 2],
    ['visit:country==DE;visit:source==google.com', 1],
    ['visit:source==Direct / None', 3],
    ['visit:device==Mobile', 2],
    ['visit:device==mobile', 0],
    ['visit:channel==Organic Search', 1],
    ['visit:utm_campaign==november', 1],
    ['event:props:plan==pro', 1],
    ['event:name==Signup;event:props:plan==free', 1],
    ['event:hostname==site1.example', 5],
    ['visit:entry_page==/', 3],
  ];
  for (const [filters, want] of asked) assert.is(await visitors(filters), want, filters);
});

test('what is wrong is told in a sentence, with the status that clients look at', async () => {
  const asked: [path: string, status: number, error: RegExp][] = [
    ['aggregate', 400, /^Missing site ID/],
    ['aggregate?site_id=other.example', 401, /^Invalid API key or site ID/],
    [`aggregate?${site}&period=9d`, 400, /invalid period '9d'/],
    [`aggregate?${site}&period=day&date=2026-02-30`, 400, /is not a date/],
    [`aggregate?${site}&period=custom`, 400, /date parameter is required/],
    [`aggregate?${site}&period=custom&date=2026-11-02,2026-11-01`, 400, /ends before it begins/],
    [`aggregate?${site}&metrics=visitors,visits,visitors`, 400, /multiple times/],
    [`aggregate?${site}&metrics=constructor`, 400, /is not known/],
    [`aggregate?${site}&metrics=conversion_rate`, 400, /filter on event:goal/],
    [`aggregate?${site}&metrics=time_on_page`, 400, /filter on event:page/],
    [`aggregate?${site}&compare=year`, 400, /previous_period/],
    [`aggregate?${site}&filters=visit:contry==DE`, 400, /^Invalid filter/],
    [`aggregate?${site}&filters=visit:country`, 400, /^Invalid filter/],
    [`aggregate?${site}&filters=visit:country${'+'.repeat(8000)}`, 400, /^Invalid filter/],
    [`aggregate?${site}&filters=event:page==/a*b*c`, 400, /more than can be asked/],
    [`timeseries?${site}&interval=minute`, 400, /invalid interval/],
    [`breakdown?${site}`, 400, /property parameter is required/],
    [`breakdown?${site}&property=visit:os_version`, 400, /does not store/],
    [`breakdown?${site}&property=visit:nothing`, 400, /Invalid dimension/],
    [`breakdown?${site}&property=event:page&limit=0`, 400, /between 1 and 1000/],
    [`breakdown?${site}&property=event:page&page=x`, 400, /positive number/],
    [`breakdown?${site}&property=event:page&page=101`, 400, /Pages reach/],
    [`breakdown?${site}&property=event:goal&metrics=bounce_rate`, 400, /cannot be queried by event:goal/],
  ];
  for (const [path, status, error] of asked) {
    const got = await stats(path);
    assert.is(got.status, status, `${path} ${got.text}`);
    assert.match(got.body.error, error, path);
  }
});

test('a key is needed, of an account on a plan with access, and a public link is none', async () => {
  const path = `/api/v1/stats/aggregate?${site}`;
  const none = await ask(path, { key: null });
  assert.is(none.status, 401);
  assert.match(none.body.error, /^Missing API key/);
  assert.is((await ask(path, { key: 'tk_live_wrong' })).status, 401);
  const token = `tk_live_${'h'.repeat(32)}`;
  addAccount(program.db, 'small', 'hobby', token);
  assert.is((await ask(path, { key: token })).status, 403);
  assert.is((await ask(`${path}&share=x`, { key: null, headers: { authorization: 'Share x' } })).status, 401);
  assert.is((await ask(path, { body: {} })).status, 405);
});

test.after(() => program.close());
test.run();
