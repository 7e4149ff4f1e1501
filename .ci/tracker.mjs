// Bundles the tracker. Apart from the rest of the build because its tests and its benchmark bundle it too.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minify } from 'terser';

// Four years back from 2026, and some more. Newer syntax would be lowered; newer functions have to be avoided by hand.
const target = ['chrome100', 'firefox100', 'safari15.4'];

// Properties of web-vitals' objects and of the tracker's, of which neither the browser nor a page knows one.
const mangleProps =
  /^(_[a-z]\w*|reportAllChanges|firstHiddenTime|onHidden|settle|flush|refer|leave|restore|start|stop|properties|amend|held|report|dnt|isOff|isManual|change|hits|transport|send|navigate|reportVitals|calls|page|element|hit|looks|before|reset|depth|begin|bodyOf|post|beacon)$/;

// What web-vitals works out besides the values (a rating, an id, its entries, the values of a page that comes back from the cache) is left out: nobody reads it here.
const leanVitals = {
  'whenIdleOrHidden.js': 'export const whenIdleOrHidden = run => run();',
  'bfcache.js': 'export const onBFCacheRestore = () => {};',
  'bindReporter.js': 'export const bindReporter = (tell, metric) => () => { if (metric.value >= 0) tell(metric); };',
  'initMetric.js': 'export const initMetric = (name, value = -1) => ({ name, value });',
  'onTTFB.js': `
    import { getActivationStart } from './lib/getActivationStart.js';
    import { getNavigationEntry } from './lib/getNavigationEntry.js';
    import { whenActivated } from './lib/whenActivated.js';
    export const TTFBThresholds = undefined;
    export const onTTFB = tell => whenActivated(() => {
      const entry = getNavigationEntry();
      if (entry) tell({ name: 'TTFB', value: Math.max(entry.responseStart - getActivationStart(), 0) });
    });`,
  'LCPEntryManager.js': 'export class LCPEntryManager { _processEntry() {} }',
  // Every browser that tells interactions apart counts them too.
  'interactionCountPolyfill.js': `
    export const getInteractionCount = () => performance.interactionCount ?? 0;
    export const initInteractionCountPolyfill = () => {};`,
  'initUnique.js': 'export const initUnique = (_, Manager) => new Manager();',
};
const vitalsPlugin = {
  name: 'lean-vitals',
  setup(build) {
    const modules = join(dirname(fileURLToPath(import.meta.resolve('web-vitals'))), 'modules');
    build.onResolve({ filter: /^web-vitals$/ }, () => ({ path: join(modules, 'index.js'), sideEffects: false }));
    for (const [file, contents] of Object.entries(leanVitals))
      build.onLoad({ filter: new RegExp(`[\\\\/]${file.replace('.', '\\.')}$`) }, () => ({ contents }));
    build.onLoad({ filter: /[\\/]on(CLS|FCP|INP|LCP)\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/metric\.entries(\.push\(.*\)| = .*);/g, ''),
    }));
  },
};

/** Code of /t.js from `tracker/main.ts`, or of /script.js from `tracker/script.ts`. With the format `esm`, of the module for bundlers. Terser's second look saves 200 of esbuild's 5,150 bytes after gzip. */
export const bundleTracker = async (entry, format = 'iife') => {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: [entry],
    write: false,
    bundle: true,
    plugins: [vitalsPlugin],
    minify: true,
    mangleProps,
    reserveProps: /^_paq$/,
    define: { isModule: String(format === 'esm') },
    format,
    platform: 'browser',
    target,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const { code } = await minify(outputFiles[0].text, {
    ecma: 2020,
    module: format === 'esm',
    compress: { passes: 3, inline: 1 },
  });
  return code;
};
