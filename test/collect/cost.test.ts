/**
 * What a hit costs, whatever its texts and the site's settings say: no more than its length times a
 * small constant. Work is counted in steps, so no other load matters.
 */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPipeline, type Pipeline } from '../../src/collect/pipeline.ts';
import { excludedIpsMax, excludedPathsMax, globCharsMax, urlCharsMax } from '../../src/model/limits.ts';
import type { Site } from '../../src/model/site.ts';
import { excludedIpsOf, excludedPathsOf } from '../../src/model/values.ts';
import { salts } from '../../src/store/salts.ts';
import { siteDirectory } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { stepsOf } from '../tools/steps.ts';
import { chrome, noon } from './start-collector.ts';

/** Steps for each character of an address and each excluded path. A usual hit takes some hundred in all. */
const stepsPerCharacter = 150;

const { db } = temporaryDatabase();
const started = (settings: Partial<Site> = {}): { key: string; pipeline: Pipeline } => {
  const { publicKey } = addSite(db, settings);
  const pipeline = createPipeline({
    recorder: recorder(db),
    salts: salts(db),
    directory: siteDirectory(db),
    geo: { place: () => ({ country: null, region: null, city: null, network: null }), close: () => {} },
    random: randomBytes,
    startAt: noon,
  });
  return { key: publicKey, pipeline };
};

const filled = (length: number, piece: string): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const page = 'https://site1.example/';

/** Texts of a stranger, of about a length. */
const texts: Readonly<Record<string, (length: number) => { body?: object; userAgent?: string }>> = {
  path: n => ({ body: { u: page + filled(n, 'a') } }),
  'path of segments': n => ({ body: { u: page + filled(n, 'a/') } }),
  'path that grows when it is escaped': n => ({ body: { u: page + filled(n, '€') } }),
  'path of broken escapes': n => ({ body: { u: page + filled(n, '%E2%82/%') } }),
  'hash that is a route': n => ({ body: { u: `${page}#/${filled(n, 'a/')}` } }),
  'query of many parameters': n => ({ body: { u: `${page}?${filled(n, 'a=1&')}` } }),
  'query of tracking parameters': n => ({ body: { u: `${page}?${filled(n, 'utm_source=+%&')}` } }),
  host: n => ({ body: { u: `https://${filled(n, 'a.')}a/` } }),
  referrer: n => ({ body: { u: page, r: `https://${filled(n, 'www.')}` } }),
  title: n => ({ body: { u: page, ti: filled(n, ' \n') } }),
  event: n => ({ body: { u: page, t: 'custom', n: filled(n, 'a') } }),
  language: n => ({ body: { u: page, l: filled(n, 'de-') } }),
  'one long property': n => ({ body: { u: page, t: 'custom', n: 'e', p: { [filled(n, 'k')]: filled(n, 'v') } } }),
  'many properties': n => ({
    body: { u: page, t: 'custom', n: 'e', p: Object.fromEntries(many(n >> 3, i => [`k${i}`, i])) },
  }),
  'properties with one beginning': n => ({
    body: { u: page, t: 'custom', n: 'e', p: Object.fromEntries(many(n >> 8, i => [filled(200, 'k') + i, i])) },
  }),
  'deep properties': n => ({
    body: { u: page, t: 'custom', n: 'e', p: { a: JSON.parse('['.repeat(n >> 1) + ']'.repeat(n >> 1)) } },
  }),
  traits: n => ({ body: { u: page, t: 'identify', p: Object.fromEntries(many(n >> 4, i => [`k${i}`, 'v'])) } }),
  browser: n => ({ body: { u: page, i: filled(n, 'a') } }),
  site: n => ({ body: { s: filled(n, 'a'), u: page } }),
  'user agent': n => ({ body: { u: page }, userAgent: `Mozilla/5.0 (${filled(n, 'Linux; ')}` }),
  'user agent of versions': n => ({ body: { u: page }, userAgent: filled(n, 'a/1 ') }),
};

const hit = ({ key, pipeline }: ReturnType<typeof started>, given: { body?: object; userAgent?: string }): unknown =>
  pipeline.process({
    at: noon,
    address: '198.51.100.1',
    userAgent: given.userAgent ?? chrome,
    body: { s: key, ...given.body },
  });

/** What is stored may be older than the bounds, and longer. */
const settings: Readonly<Record<string, Partial<Site>>> = {
  'no exclusions': {},
  'globs of stars and letters': {
    excludedPaths: excludedPathsOf(many(excludedPathsMax, i => `**a*a*a*a*a*a*a*a*${filled(170, 'a')}${i % 10}${i}`)),
  },
  'globs of segments': {
    excludedPaths: excludedPathsOf(many(excludedPathsMax, i => `**/a*/a*/a*/a*/${filled(150, 'a/')}${i}`)),
  },
  'long globs without a star': {
    excludedPaths: excludedPathsOf(many(excludedPathsMax, i => filled(globCharsMax - 3, '/a') + i)),
  },
  'globs from before they were bounded': { excludedPaths: many(3000, i => `${filled(300, '/**a*a')}${i}`) },
  'a thousand ranges': { excludedIps: excludedIpsOf(many(excludedIpsMax, i => `2001:db8:${i.toString(16)}::/48`)) },
};

for (const [setting, given] of Object.entries(settings)) {
  test(`a hit costs no more than its length says, with ${setting}`, async () => {
    const site = started(given);
    hit(site, { body: { u: page } }); // What is made once for a site costs no hit after that.
    for (const [name, make] of Object.entries(texts)) {
      if (given.excludedPaths && !name.startsWith('path')) continue;
      const [shorter, longer] = [await cost(4000), await cost(32_000)] as const;
      assert.ok(longer <= stepsPerCharacter * (urlCharsMax + (given.excludedPaths?.length ?? 0)), `${name}: ${longer}`);
      // Eight times the length; quadratic work would be 64 times as much.
      assert.ok(longer <= 16 * shorter + 1000, `${name}: ${shorter}, ${longer}`);

      async function cost(length: number): Promise<number> {
        const made = make(length);
        return stepsOf(() => hit(site, made));
      }
    }
  });
}

test.run();
