/**
 * What a hit costs, whatever its texts and the site's settings say: no more than its length times a
 * small constant. Work is counted in steps, so no other load matters.
 */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPipeline, type Pipeline } from '../../src/collect/pipeline.ts';
import { urlCharsMax } from '../../src/model/limits.ts';
import type { Site } from '../../src/model/site.ts';
import { salts } from '../../src/store/salts.ts';
import { siteDirectory } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { stepsOf } from '../tools/steps.ts';
import { dearSettings, dearTexts, plainPage } from './dear-hits.ts';
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

const hit = ({ key, pipeline }: ReturnType<typeof started>, given: { body?: object; userAgent?: string }): unknown =>
  pipeline.process({
    at: noon,
    address: '198.51.100.1',
    userAgent: given.userAgent ?? chrome,
    body: { s: key, ...given.body },
  });

for (const [setting, given] of Object.entries(dearSettings)) {
  test(`a hit costs no more than its length says, with ${setting}`, async () => {
    const site = started(given);
    hit(site, { body: { u: plainPage } }); // What is made once for a site costs no hit after that.
    for (const [name, make] of Object.entries(dearTexts)) {
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
