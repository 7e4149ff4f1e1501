/** The tracker as a module for bundlers, where there is no page, and as another bundler packs it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundleTracker } from '../../.ci/tracker.mjs';
import type * as Module from '../../tracker/npm/index.d.ts';
import { temporaryDir } from '../helpers.ts';

const dir = temporaryDir();
const file = join(dir, 'index.js');
writeFileSync(file, await bundleTracker('tracker/npm/module.ts', 'esm'));
writeFileSync(join(dir, 'package.json'), '{"type":"module"}');

test('on a server it can be imported and called, and does nothing', async () => {
  const { init, track, pageview, identify, revenue }: typeof Module = await import(pathToFileURL(file).href);
  const tracker = init({ site: 'pk_live_x', api: 'https://stats.example.com' });
  for (const run of [
    () => track('Signup', { plan: 'pro' }),
    () => pageview(),
    () => identify('user-42', { plan: 'pro' }),
    () => revenue(4900, 'EUR'),
    () => tracker.track('Signup'),
    () => tracker.identify({ email: 'ada@example.com' }),
  ])
    assert.not.throws(run);
  assert.is('tracker' in globalThis, false);
});

test('a bundler packs it, and what nobody calls it leaves out', async () => {
  const bundled = async (code: string): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: dir },
      bundle: true,
      minify: true,
      write: false,
      format: 'iife',
    });
    return outputFiles[0]!.text;
  };
  const code = await bundled(
    `import { init } from './index.js'; init({ site: 'pk_live_x', api: 'https://a.example' });`,
  );
  assert.ok(gzipSync(code, { level: 9 }).length < 6000);
  for (const name of ['respectDnt', 'sendBeacon', 'data-track']) assert.ok(code.includes(name), name);
});

test.run();
