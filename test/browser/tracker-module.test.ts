/** The tracker as a module, in a page that a bundler made. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { test } from 'uvu';
import { bundleTracker } from '../../.ci/tracker.mjs';
import { temporaryDir } from '../helpers.ts';
import { openStage } from './helpers.ts';

const stage = await openStage();

/** What esbuild makes of a program that imports the module. */
const bundled = async (code: string): Promise<string> => {
  const dir = temporaryDir();
  writeFileSync(join(dir, 'index.js'), await bundleTracker('tracker/npm/module.ts', 'esm'));
  const options = { bundle: true, minify: true, write: false, format: 'iife' } as const;
  const { outputFiles } = await build({ stdin: { contents: code, resolveDir: dir }, ...options });
  return outputFiles[0]!.text;
};

const page = '<!doctype html><title>App</title><h1>App</h1><script src="/app.js"></script>';

stage?.test('a page counts itself, and calls from before init wait', async ({ web, site, api, open, stores }) => {
  const app = await bundled(`
    import { init, track } from './index.js';
    track('Early', { step: 1 });
    init({ site: '${site.publicKey}', api: '${api}' });
    window.late = () => track('Late');`);
  web.show({ '/': page, '/app.js': app });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /', 'custom Early {"step":1}');
  await visit.evaluate('late()');
  await stores('pageview /', 'custom Early {"step":1}', 'custom Late');
});

stage?.test('a page can have two trackers, and mounting one twice counts once', async scene => {
  const { web, site, api, open, stores, detour } = scene;
  const other = await detour(() => undefined);
  const app = await bundled(`
    import { init, track } from './index.js';
    init({ site: '${site.publicKey}', api: '${api}' });
    init({ site: '${site.publicKey}', api: '${api}' });
    const second = init({ site: '${site.publicKey}', api: '${other.origin}', auto: false });
    window.first = () => track('First');
    window.second = () => second.track('Second');`);
  web.show({ '/': page, '/app.js': app });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate('second()');
  await stores('pageview /', 'custom Second');
  await visit.evaluate('first()');
  await stores('pageview /', 'custom Second', 'custom First');
});

test.run();
