import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { type Entry, recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { runCommand } from './helpers.ts';

/** November 2026 begins on this day. */
const november = Date.UTC(2026, 10, 1) / dayMs;

/** Two accounts, the second with two sites; days that are sealed, open, and on both sides of a month’s end. */
const prepared = (): string => {
  const dir = temporaryDir();
  const db = openDatabase(dir);
  const acme = accounts(db).add('acme', 'pro', 0);
  const own = addSite(db).id;
  const shops = [addSite(db, { accountId: acme.id }).id, addSite(db, { accountId: acme.id }).id];
  let id = 0;
  const visitOf = (siteId: number, day: number, types: string[]): Entry[] => {
    const visit = visitRecord({ siteId, day, id: ++id });
    return types.map((type, i) => {
      const revenue = type === 'revenue' ? { amount: 1, currency: 'EUR' } : null;
      const hit = hitRecord({ siteId, day, visitId: visit.id, at: day * dayMs, type: type as 'pageview', revenue });
      return recordedEntry(hit, i === 0 ? visit : undefined);
    });
  };
  const record = recorder(db);
  record.write([
    ...visitOf(own, november - 1, ['pageview']),
    ...visitOf(own, november, ['pageview', 'custom']),
    ...visitOf(shops[0]!, november, ['pageview', 'outbound', 'revenue', 'duration', 'identify']),
    ...visitOf(shops[1]!, november, ['pageview']),
    {
      siteId: shops[1]!,
      at: november * dayMs,
      outcome: 'crawler',
      crawl: { siteId: shops[1]!, at: november * dayMs, name: 'x', path: '/', status: 0 },
    },
  ]);
  sealAll(db, november + 1, 0);
  record.write(visitOf(shops[1]!, november + 1, ['pageview', 'pageview', 'duration']));
  db.close();
  return dir;
};

test('pageviews and events count, sealed or not; non-counting hits and crawlers do not', async () => {
  const ran = await runCommand(prepared(), ['usage', '--json']);
  const none = { quota: null, overageUsd: null };
  assert.equal(ran.json(), [
    { account: 'acme', plan: 'pro', month: '2026-11', hits: 6, ...none },
    { account: 'default', plan: 'unlimited', month: '2026-10', hits: 1, ...none },
    { account: 'default', plan: 'unlimited', month: '2026-11', hits: 2, ...none },
  ]);
});

test('every hundred thousand begun over the quota has its price', async () => {
  const dir = prepared();
  const overage = async (quotas: string): Promise<unknown> => {
    const ran = await runCommand(dir, ['usage', '--json', '--account', 'acme'], { env: { PLAN_QUOTAS: quotas } });
    const [{ quota, overageUsd }] = ran.json();
    return [quota, overageUsd];
  };
  assert.equal(await overage('pro=6'), [6, 0]);
  assert.equal(await overage('pro=5'), [5, 2]);
  assert.equal(await overage('hobby=1'), [null, null]);
  await runCommand(dir, ['account', 'set', 'acme', '--plan', 'business']);
  assert.equal(await overage('pro=5,business=0'), [0, 1]);
  await runCommand(dir, ['account', 'set', 'acme', '--plan', 'hobby']);
  assert.equal(await overage('hobby=1'), [1, null]);
});

test('people get a table', async () => {
  assert.is(
    (await runCommand(prepared(), ['usage', '--plan-quotas', 'pro=5'])).stdout,
    `ACCOUNT  PLAN       MONTH    HITS  QUOTA  OVERAGE
acme     pro        2026-11     6      5  $2
default  unlimited  2026-10     1      -  -
default  unlimited  2026-11     2      -  -
`,
  );
  const empty = temporaryDir();
  await runCommand(empty, ['site', 'add', 'a.example']);
  assert.is((await runCommand(empty, ['usage'])).stdout, 'There are no hits yet.\n');
});

test.run();
