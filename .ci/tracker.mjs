// Bundles the tracker. Apart from the rest of the build because its tests and its benchmark bundle it too.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minify } from 'terser';

// Four years back from 2026, and some more. Newer syntax would be lowered; newer functions have to be avoided by hand.
const target = ['chrome100', 'firefox100', 'safari15.4'];

// Properties of web-vitals' objects and of the tracker's, of which neither the browser nor a page knows one.
const mangleProps =
  /^(reportAllChanges|firstHiddenTime|onHidden|navigationType|rating|delta|settle|flush|refer|leave|restore|lap|properties)$/;

/** Code of /t.js. Terser's second look saves 200 of esbuild's 5,150 bytes after gzip. */
export const bundleTracker = async () => {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: ['tracker/main.ts'],
    write: false,
    bundle: true,
    minify: true,
    mangleProps,
    format: 'iife',
    platform: 'browser',
    target,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const { code } = await minify(outputFiles[0].text, { ecma: 2020, compress: { passes: 3, inline: 1 } });
  return code;
};
