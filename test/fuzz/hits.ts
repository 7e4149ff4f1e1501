/** The collector's pipeline and what it writes: whatever arrives ends in an outcome, and what was written can be sealed and read. */

import { type Chance, chanceFrom } from '../../src/cli/demo/random.ts';
import type { Geo } from '../../src/collect/geo.ts';
import { createPipeline } from '../../src/collect/pipeline.ts';
import { userAgentCharsMax } from '../../src/collect/user-agent.ts';
import { readByShape } from '../../src/compat/families.ts';
import { parseJson } from '../../src/http/body.ts';
import { dimensionNames } from '../../src/model/dimensions.ts';
import { outcomes } from '../../src/model/outcomes.ts';
import { dayMs, utcDayOf } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import { openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { salts } from '../../src/store/salts.ts';
import { siteDirectory } from '../../src/store/sites.ts';
import { type Entry, recorder } from '../../src/store/write/recorder.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { must } from '../tools/conditions.ts';
import { mutateBytes, mutateFields, nastyText, randomAgent, randomJson, randomText } from './random-input.ts';
import type { Target } from './target.ts';

const day = 20_000;
const batchEntries = 500;
const nowhere: Geo = {
  place: () => ({ country: 'DE', region: null, city: null, network: 'AS64512 Somebody' }),
  close: () => {},
};

const inOurTerms = (body: unknown): unknown => readByShape(body, () => undefined)?.body ?? body;

const goodHits = (s: string): Record<string, unknown>[] => {
  const u = 'https://site1.example/blog/post?utm_source=letter&utm_medium=email&page=2#/route';
  return [
    {
      s,
      t: 'pageview',
      u,
      r: 'https://www.google.com/',
      ti: 'Title',
      l: 'de-DE',
      w: 1280,
      h: 720,
      d: 1200,
      x: 1,
      b: 0,
    },
    {
      s,
      t: 'custom',
      u,
      n: 'Signup',
      p: { plan: 'pro', seats: 3, trial: true, due: '2026-11-20', nested: { a: [1] } },
    },
    { s, t: 'outbound', u, n: 'https://other.example/a?b=c', i: 'visitor-1' },
    { s, t: 'revenue', u, n: 'Buy', v: 4900, c: 'EUR', p: { item: 'a' } },
    { s, t: 'identify', u, p: { email: 'a@b.example', name: 'A' } },
    { s, t: 'duration', u, d: 30_000 },
    { s, t: 'vitals', u, p: { lcp: 1200, inp: 80, cls: 0.02, fcp: 700, ttfb: 120 } },
    {
      type: 'event',
      payload: {
        website: s,
        url: '/a?b=c',
        hostname: 'site1.example',
        referrer: '',
        title: 'T',
        name: 'x',
        data: { a: 1 },
        screen: '1280x720',
        language: 'de',
      },
    },
    { type: 'identify', payload: { website: s, url: '/', hostname: 'site1.example', id: 'u1', data: { a: 'b' } } },
    { s, u, ua: 'Googlebot/2.1', st: 200, m: 'GET' },
  ];
};

const addresses = ['203.0.113.9', '2001:db8::1', '', '10.0.0.1'];

export const hits: Target = {
  name: 'hits',
  what: "hits of both wire formats, through the collector's pipeline",
  share: 0.38,
  lanes: 1,
  open() {
    const { db, dataDir } = temporaryDatabase();
    const sites = [
      addSite(db, { excludedIps: ['10.0.0.0/8'], excludedPaths: ['/admin/**', '/*/x*y*z'] }),
      addSite(db, { identityMode: 'cookie', currency: 'JPY', timezone: 'Asia/Kathmandu' }),
    ];
    const good = sites.flatMap(({ publicKey }) => goodHits(publicKey));
    const records = recorder(db);
    const random = chanceFrom(1);
    const pipeline = createPipeline({
      recorder: records,
      salts: salts(db),
      directory: siteDirectory(db),
      geo: nowhere,
      random: bytes => Buffer.from(Array.from({ length: bytes }, () => random.below(256))),
      startAt: day * dayMs,
    });
    let entries: Entry[] = [];
    let at = day * dayMs;

    const write = (): void => {
      records.write(entries);
      entries = [];
    };
    return {
      one(chance) {
        // Days end on the way, so that sealing gets all of it too.
        at += chance.is(0.0001) ? dayMs - (at % dayMs) : chance.below(40);
        const arrival = {
          at,
          address: chance.one(addresses),
          userAgent: agentOf(chance),
          body: inOurTerms(bodyOf(chance, good)),
        };
        const entry = chance.is(0.9) ? pipeline.process(arrival) : pipeline.reports([arrival])[0]!;
        must(Object.hasOwn(outcomes, entry.outcome), `outcome ${entry.outcome}`);
        entries.push(entry);
        if (entries.length === batchEntries) write();
      },
      async close() {
        write();
        sealAll(db, utcDayOf(at) + 1, at);
        const problems = Array.from(checkDatabase(db)).flatMap(step => step.problems);
        must(problems.length === 0, problems.slice(0, 3).join('\n'));
        const reader = openReader(dataDir);
        const engine = createEngine(reader, 1e8);
        const bounds = [day * dayMs, at + dayMs];
        for (const { id: siteId } of sites) {
          const questions = [
            headline,
            ...dimensionNames.map(dimension => topValues(dimension, 500)),
            { kind: 'events' as const, limit: 100, bounds },
            { kind: 'propertyKeys' as const, limit: 50 },
            { kind: 'propertySummaries' as const, keys: ['plan', 'seats'] },
          ];
          const slice = { from: bounds[0]!, to: bounds[1]!, filters: [], questions };
          const [answers] = await engine.answer({ siteId, currency: 'EUR', minorRates: {}, slices: [slice] }, alone);
          must(JSON.stringify(answers).length > 100, 'There is no answer.');
        }
        reader.close();
        db.close();
      },
    };
  },
};

const agentOf = (chance: Chance): string =>
  chance.is(0.05)
    ? randomAgent(chance).slice(0, userAgentCharsMax)
    : 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0';

const bodyOf = (chance: Chance, good: readonly Record<string, unknown>[]): unknown => {
  const hit = chance.one(good);
  if (chance.is(0.15)) return hit;
  if (chance.is(0.6)) return mutateFields(chance, hit);
  if (chance.is(0.3))
    return mutateFields(chance, {
      ...hit,
      u: `https://site1.example/${nastyText(chance)}`,
      ti: randomText(chance),
      p: randomJson(chance),
    });
  if (chance.is(0.5)) return parseJson(mutateBytes(chance, Buffer.from(JSON.stringify(hit))));
  return randomJson(chance);
};

/** Reading a user agent may take this long at most, when it is the only one who computes. */
const agentMsMax = 25;

export const agents: Target = {
  name: 'agents',
  what: 'user agents, each read within some milliseconds',
  share: 0.05,
  lanes: 1,
  async open() {
    const { clientReader } = await import('../../src/collect/user-agent.ts');
    let slowest = 0;
    const timeOf = (agent: string): number => {
      const began = performance.now();
      clientReader()(agent);
      return performance.now() - began;
    };
    return {
      one(chance) {
        const agent = randomAgent(chance).slice(0, userAgentCharsMax);
        // Others use the machine too: only what is slow again and again is.
        const ms = timeOf(agent) > agentMsMax ? Math.min(...Array.from({ length: 5 }, () => timeOf(agent))) : 0;
        slowest = Math.max(slowest, ms);
        must(ms <= agentMsMax, `Reading ${JSON.stringify(agent)} took ${ms.toFixed(1)} ms.`);
      },
      close() {},
    };
  },
};
