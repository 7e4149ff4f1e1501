/** What comes from an excluded country leaves its outcome and nothing else, whatever it is. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { automationBits } from '../../src/model/hit.ts';
import { chrome, startCollector, type TestCollector } from './start-collector.ts';
import { storedCrawls, storedHits, storedOutcomes, storedVisits, storedVitals } from './stored.ts';

const excludedOutcomes = ['1 excluded-country', '1 excluded-path'];
const agents = [
  ...[chrome, chrome.replace('140', '141'), chrome.replace('X11; Linux x86_64', 'iPhone')],
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
];
const hosts = ['site1.example', 'www.site1.example', 'copy.example'];
const domain = 'site1.example';

interface Sent {
  isExcluded: boolean;
  address: string;
  userAgent: string;
  path: string;
  body: unknown;
  afterMs: number;
}

/** Hits of all kinds in all forms; 203.0.113.0/24 is in Germany. */
const sentAtRandom = (seed: number, s: string): Sent[] => {
  const { number, below, is } = chanceFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(number() * items.length)]!;
  return Array.from({ length: 400 }, (_, i) => {
    const isExcluded = is(0.5);
    const place = isExcluded ? 'de' : 'at';
    const u = `https://${pick(hosts)}/${pick(['a', 'b', 'admin/x'])}/${place}${below(40)}?utm_source=${place}${below(9)}`;
    const told = { s, u, ti: `${place} ${below(20)}`, r: `https://${place}${below(9)}.example/` };
    const own = pick([
      told,
      { ...told, t: 'custom', n: `${place} event`, p: { [`${place} key`]: `${place} ${i}`, seats: i } },
      { ...told, t: 'outbound', n: `https://${place}.example/` },
      { ...told, t: 'revenue', n: 'Order', v: 100 + i, c: 'EUR' },
      { ...told, t: 'identify', i: `${place}${below(5)}@x.example`, p: { plan: `${place} plan` } },
      { ...told, t: 'duration', d: 1000 + i, sc: 50 },
      { ...told, t: 'vitals', p: { lcp: 1000 + i, inp: 20 } },
      { ...told, b: automationBits.webdriver, x: 1 },
    ]);
    const [path, body] = pick<[string, unknown]>([
      ['/e', own],
      ['/e', own],
      ['/e', { hits: [own, told] }],
      ['/api/batch', [told, own]],
      ['/api/event', { name: `${place} goal`, domain, url: u, props: { at: place } }],
      ['/api/send', { type: 'event', payload: { website: domain, url: u, name: `${place} sent`, title: place } }],
      ['/api/send', { type: 'performance', payload: { website: domain, url: u, lcp: 1000 + i, cls: 0.1 } }],
      [
        '/matomo.php',
        new URLSearchParams({
          idsite: domain,
          rec: '1',
          url: u,
          action_name: place,
          ec_id: `${place}${below(9)}`,
          idgoal: '0',
          revenue: '9',
        }).toString(),
      ],
    ]);
    const address = `${isExcluded ? '203.0.113' : '198.51.100'}.${below(20)}`;
    return { isExcluded, address, userAgent: pick(agents), path, body, afterMs: below(5) * 300_000 };
  });
};

/** All that is kept of hits but their visitors' hashes, which no two servers make alike. */
const storedIn = ({ db, collector, site }: TestCollector) => ({
  visits: storedVisits(db).map(({ visitor: _, ...visit }) => visit),
  hits: storedHits(db),
  vitals: storedVitals(db),
  crawls: storedCrawls(db),
  texts: db.prepare('select site_id, value from text order by id').raw().all(),
  others: ['cookie_visitor', 'other_text', 'note', 'outbox'].map(table =>
    db.prepare(`select count(*) from ${table}`).pluck().get(),
  ),
  hosts: collector.otherHosts(site.id),
});

const collect = async (sent: readonly Sent[], site: object) => {
  const collector = await startCollector({
    site: { excludedPaths: ['/admin/**'], allowedHosts: [domain, `www.${domain}`], identityMode: 'cookie', ...site },
    senderBudget: { senderHits: 1_000_000, senderBurst: 1_000_000 },
  });
  for (const { path, body, address, userAgent, afterMs } of sent) {
    collector.clock.now += afterMs / 10;
    await collector.post(body, { path, address, userAgent });
  }
  await collector.stop();
  const stored = { ...storedIn(collector), outcomes: storedOutcomes(collector.db) };
  await collector.close();
  return stored;
};

for (const seed of [1, 2, 3])
  test(`with a random world (${seed}), all is as if nothing had come from there, but for the outcomes`, async () => {
    const sent = sentAtRandom(seed, `pk_live_${'1'.padStart(24, '0')}`);
    const { outcomes, ...stored } = await collect(sent, { excludedCountries: ['DE'] });
    // The clock goes on while what is left out comes.
    let waited = 0;
    const others = sent.flatMap(one => {
      waited += one.afterMs;
      if (one.isExcluded) return [];
      const afterMs = waited;
      waited = 0;
      return [{ ...one, afterMs }];
    });
    const { outcomes: ofOthers, ...expected } = await collect(others, {});
    assert.equal(stored, expected);
    for (const [outcome, hits] of Object.entries(outcomes))
      if (!excludedOutcomes.includes(outcome)) assert.is(hits, ofOthers[outcome], outcome);
    assert.ok(outcomes['1 excluded-country']! > 80);
    const kinds = new Set(stored.hits.map(({ type }) => type));
    assert.ok(kinds.size >= 5, [...kinds].join());
    assert.ok(Math.min(stored.vitals.length, stored.crawls.length, stored.hosts.length) > 0, 'of each kind something');
  });

test.run();
