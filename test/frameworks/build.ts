/** Makes the pages of a framework from their source, as its users do. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import type { Framework } from './frameworks.ts';
import { folderOf } from './install.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Svelte's own compiler does what esbuild cannot. */
const sveltePlugin = (folder: string): Plugin => ({
  name: 'svelte',
  setup(build) {
    const { compile, compileModule } = createRequire(join(folder, 'package.json'))('svelte/compiler') as Record<
      'compile' | 'compileModule',
      (source: string, options: object) => { js: { code: string } }
    >;
    build.onLoad({ filter: /\.svelte(\.js)?$/ }, ({ path }) => {
      const options = { filename: path, generate: 'client' };
      const source = readFileSync(path, 'utf8');
      const { js } = path.endsWith('.js') ? compileModule(source, options) : compile(source, options);
      return { contents: js.code, resolveDir: dirname(path) };
    });
  },
});

/** The script of the pages, in one file; empty where they have none. */
export const bundle = async (framework: Framework): Promise<string> => {
  if (framework.source === undefined) return '';
  const folder = folderOf(framework);
  // Beside its packages, so that it finds them and no others.
  cpSync(here('pages'), join(folder, 'pages'), { recursive: true });
  cpSync(here('site.ts'), join(folder, 'site.ts'));
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'pages', framework.source)],
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'react' in framework.packages ? 'react' : 'preact',
    conditions: ['browser', 'svelte', 'production'],
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: framework.source.includes('svelte') ? [sveltePlugin(folder)] : [],
    logLevel: 'error',
    legalComments: 'none',
  });
  return outputFiles[0]!.text;
};

/** Runs a command of the framework's packages in its folder. */
export const startCommand = (framework: Framework, command: string): ChildProcessByStdio<null, Readable, Readable> => {
  const folder = folderOf(framework);
  const bins = [join(folder, 'node_modules', '.bin'), join(folder, '..', 'node_modules', '.bin')];
  const env = {
    ...process.env,
    PATH: [...bins, process.env.PATH].join(delimiter),
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
  };
  const [program, ...flags] = command.split(' ');
  return spawn(program!, flags, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
};

const contentsOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
    .map(file => `${file}\n${readFileSync(file, 'utf8')}`)
    .join('\n');

/** Builds a project, unless it was built of the same source before. Throws with what the framework printed. */
export const buildProject = async (framework: Framework): Promise<void> => {
  const [source, folder] = [here(`pages/${framework.source}`), folderOf(framework)];
  const marker = join(folder, 'built');
  const { code } = await transform(readFileSync(here('site.ts'), 'utf8'), { loader: 'ts' });
  const contents = contentsOf(source) + code;
  if (existsSync(marker) && readFileSync(marker, 'utf8') === contents) return;
  cpSync(source, folder, { recursive: true });
  writeFileSync(join(folder, 'site.js'), code);
  const child = startCommand(framework, framework.project!.build);
  const gone = once(child, 'close');
  const output = (await Promise.all([child.stdout.toArray(), child.stderr.toArray()])).flat().join('');
  const [status] = (await gone) as [number | null];
  if (status !== 0) throw new Error(`${framework.project!.build} ended with ${status}:\n${output}`);
  writeFileSync(marker, contents);
};
