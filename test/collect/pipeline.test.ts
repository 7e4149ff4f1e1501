/** The list of steps, its order, and the pipeline with another clock than the collector's. */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Arrival,
  createPipeline,
  type Pipeline,
  reportSteps,
  reportStepsWithinBudget,
  steps,
} from '../../src/collect/pipeline.ts';
import { dayMs } from '../../src/model/time.ts';
import type { Database } from '../../src/store/database.ts';
import { salts } from '../../src/store/salts.ts';
import { siteDirectory } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { chrome, noon } from './start-collector.ts';

const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const paris = { country: 'FR', region: null, city: 'Paris', network: 'AS3215 Orange S.A.' };

const start = (db: Database): Pipeline =>
  createPipeline({
    recorder: recorder(db),
    salts: salts(db),
    directory: siteDirectory(db),
    geo: { place: () => paris, close: () => {} },
    random: randomBytes,
    startAt: noon,
  });

test('the steps are one list, cheap and certain refusals first', () => {
  assert.equal(
    steps.map(step => step.name),
    [
      'readHit',
      'findSite',
      'refuseOld',
      'excludeAddress',
      'limitSender',
      'excludePath',
      'excludeCountry',
      'excludeOtherHost',
      'ignoreCrawler',
      'ignoreAutomation',
      'recordVitals',
      'identifyVisitor',
      'limitVisitor',
      'ignoreRepeatedOrder',
      'joinVisit',
      'recordHit',
    ],
  );
  assert.equal(
    [reportSteps, reportStepsWithinBudget].map(some => some.map(step => step.name)),
    [
      ['readReport', 'findSite'],
      ['excludePath', 'excludeOtherHost', 'recordReport'],
    ],
  );
});

test('the reason of the earliest step counts', () => {
  const { db } = temporaryDatabase();
  const { publicKey, id: siteId } = addSite(db, { excludedIps: ['203.0.113.0/24'], excludedPaths: ['/admin'] });
  const { process } = start(db);
  const u = 'https://site1.example/admin';
  const rows: [want: string, arrival: Partial<Arrival>][] = [
    ['bad-payload', { body: { s: 'nobody', u: 'x', t: 5 }, address: '203.0.113.1', userAgent: googlebot }],
    ['bad-url', { body: { s: 'nobody', u: 'x' }, address: '203.0.113.1', userAgent: googlebot }],
    ['unknown-site', { body: { s: 'nobody', u, b: 1 }, address: '203.0.113.1', userAgent: googlebot }],
    ['excluded-ip', { body: { s: publicKey, u, b: 1 }, address: '203.0.113.1', userAgent: googlebot }],
    ['excluded-path', { body: { s: publicKey, u, b: 1 }, userAgent: googlebot }],
    ['crawler', { body: { s: publicKey, u: `${u}s`, b: 1 }, userAgent: googlebot }],
    ['automation', { body: { s: publicKey, u: `${u}s`, b: 1 } }],
    ['automation', { body: { s: publicKey, u: `${u}s`, b: 1, t: 'vitals', p: { lcp: 1 } } }],
    ['recorded', { body: { s: publicKey, u: `${u}s` } }],
  ];
  for (const [want, arrival] of rows) {
    const entry = process({ at: noon, address: '198.51.100.1', userAgent: chrome, body: undefined, ...arrival });
    assert.is(entry.outcome, want);
    assert.is(entry.hit !== undefined, want === 'recorded');
    assert.is(entry.siteId, ['bad-payload', 'bad-url', 'unknown-site'].includes(want) ? 0 : siteId);
  }
  db.close();
});

test('an entry holds all that a hit writes', () => {
  const { db } = temporaryDatabase();
  const { publicKey, id: siteId } = addSite(db);
  const body = {
    s: publicKey,
    t: 'revenue',
    u: 'https://Site1.example/buy?utm_medium=m&x=1',
    r: 'https://www.example.net/',
    ti: 'Buy',
    l: 'de',
    w: 10,
    h: 20,
    n: 'Purchase',
    v: 4900,
    c: 'eur',
    p: { plan: 'pro' },
  };
  const entry = start(db).process({ at: noon, address: '198.51.100.1', userAgent: chrome, body });
  assert.is(entry.visit!.visitor.length, 8);
  assert.equal(JSON.parse(JSON.stringify({ ...entry, visit: { ...entry.visit, visitor: null } })), {
    siteId,
    at: noon,
    outcome: 'recorded',
    visit: {
      id: 1,
      siteId,
      day: 20_000,
      visitor: null,
      persistent: false,
      referrer: 'example.net',
      utmSource: null,
      utmMedium: 'm',
      utmCampaign: null,
      utmTerm: null,
      utmContent: null,
      ...paris,
      language: 'de',
      browser: 'Chrome',
      os: 'Linux',
      device: 'desktop',
      clickId: null,
      width: 10,
      height: 20,
    },
    hit: {
      siteId,
      day: 20_000,
      visitId: 1,
      at: noon,
      type: 'revenue',
      path: '/buy',
      hostname: 'site1.example',
      title: 'Buy',
      query: 'x=1',
      event: 'Purchase',
      duration: 0,
      scroll: null,
      revenue: { amount: 4900, currency: 'EUR' },
      properties: [{ key: 'plan', type: 'string', value: 'pro' }],
      identity: null,
    },
  });
  db.close();
});

test('days before the newest salt have a salt of their own, which is never stored', () => {
  const { db } = temporaryDatabase();
  const { publicKey } = addSite(db);
  const store = salts(db);
  const kept = Buffer.alloc(16, 7);
  store.replace(20_000, kept);
  const { process } = start(db);
  const visitorAt = (at: number): string => {
    const address = `198.51.100.${Math.floor(at / 1e5) % 250}`;
    const body = { s: publicKey, u: 'https://site1.example/' };
    return process({ at, address, userAgent: chrome, body }).visit!.visitor.toString('hex');
  };
  const old = noon - 5 * dayMs;
  const before = [visitorAt(old), visitorAt(old + 3_600_000), visitorAt(old + 2 * dayMs)];
  assert.is(new Set(before).size, 3);
  assert.equal(store.newest(), { day: 20_000, salt: kept }, 'as it was');
  const today = visitorAt(noon);
  assert.equal(store.newest(), { day: 20_000, salt: kept });
  visitorAt(noon + dayMs);
  assert.is(store.newest()!.day, 20_001);
  // Who knows the stored salt can tell today's visitors again, as after a restart; of the days before nobody can.
  store.replace(20_000, kept);
  const again = start(db).process({
    at: noon,
    address: `198.51.100.${Math.floor(noon / 1e5) % 250}`,
    userAgent: chrome,
    body: { s: publicKey, u: 'https://site1.example/' },
  });
  assert.is(again.visit!.visitor.toString('hex'), today);
  db.close();
});

test('a visitor is the same throughout an earlier day', () => {
  const { db } = temporaryDatabase();
  const { publicKey } = addSite(db);
  salts(db).replace(20_000, randomBytes(16));
  const { process } = start(db);
  const hit = (at: number) =>
    process({ at, address: '198.51.100.1', userAgent: chrome, body: { s: publicKey, u: 'https://site1.example/' } });
  const yesterday = noon - dayMs;
  const [first, second, later, next] = [hit(yesterday), hit(yesterday + 60_000), hit(yesterday + 7_200_000), hit(noon)];
  assert.is(second.visit, undefined);
  assert.is(second.hit!.visitId, first.hit!.visitId);
  assert.equal(later.visit!.visitor, first.visit!.visitor);
  assert.not.equal(next.visit!.visitor, first.visit!.visitor);
  db.close();
});

test.run();
