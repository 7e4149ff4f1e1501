import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tried, used } from '../.ci/tried.mjs';
import { packageRoot } from '../src/package-root.ts';

const src = join(packageRoot, 'src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(file => /\.tsx?$/.test(file));
const trackerFiles = readdirSync(join(packageRoot, 'tracker'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts'))
  .map(file => `../tracker/${file}`);
const textOf = (file: string): string => readFileSync(join(src, file), 'utf8');
/** Without comments, so that prose may name what code may not use. */
const codeOf = (file: string): string => textOf(file).replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, '');
const folderOf = (file: string): string => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file);

/** What each folder or top-level file may import from, besides itself. */
const allowed: Record<string, string[]> = {
  'main.ts': ['cli', 'config.ts', 'package-root.ts', 'log.ts'],
  'config.ts': ['model', 'store', 'package-root.ts'],
  'metrics.ts': ['outbox', 'collect', 'query', 'store', 'http', 'model', 'log.ts', 'package-root.ts'],
  'server.ts': [
    'roles',
    'oauth',
    'compat',
    'cluster',
    'api',
    'dashboard',
    'reports',
    'outbox',
    'query',
    'store',
    'http',
    'model',
    'config.ts',
    'metrics.ts',
  ],
  roles: [
    'reports',
    'provision',
    'outbox',
    'alerts',
    'mcp',
    'oauth',
    'compat',
    'cluster',
    'api',
    'dashboard',
    'collect',
    'query',
    'store',
    'http',
    'model',
    'config.ts',
    'metrics.ts',
    'log.ts',
    'package-root.ts',
    'until-closed.ts',
  ],
  cli: [
    'provision',
    'server.ts',
    'reports',
    'outbox',
    'mcp',
    'roles',
    'cluster',
    'export',
    'import',
    'config.ts',
    'dashboard',
    'api',
    'http',
    'collect',
    'query',
    'store',
    'model',
    'log.ts',
    'package-root.ts',
  ],
  provision: ['api', 'store', 'http', 'model'],
  import: ['compat', 'collect', 'query', 'store', 'http', 'model', 'log.ts', 'start-worker.ts', 'step-back.ts'],
  compat: ['api', 'collect', 'query', 'store', 'http', 'model', 'log.ts'],
  oauth: ['store', 'http', 'model', 'log.ts'],
  mcp: ['api', 'store', 'http', 'model', 'log.ts', 'package-root.ts'],
  reports: ['api', 'store', 'http', 'model', 'log.ts', 'until-closed.ts'],
  dashboard: [
    'reports',
    'oauth',
    'cluster',
    'import',
    'api',
    'query',
    'store',
    'http',
    'model',
    'log.ts',
    'package-root.ts',
    'start-worker.ts',
    'step-back.ts',
  ],
  api: ['query', 'store', 'http', 'model', 'log.ts', 'package-root.ts'],
  outbox: ['store', 'http', 'model', 'log.ts'],
  alerts: ['api', 'query', 'store', 'model', 'log.ts', 'until-closed.ts'],
  collect: ['store', 'http', 'model', 'log.ts', 'package-root.ts'],
  cluster: ['start-worker.ts', 'query', 'store', 'http', 'model', 'log.ts', 'package-root.ts'],
  query: ['store', 'model', 'garbage-collector.ts', 'log.ts', 'package-root.ts', 'start-worker.ts', 'step-back.ts'],
  store: ['model', 'garbage-collector.ts', 'log.ts', 'package-root.ts', 'start-worker.ts', 'step-back.ts'],
  export: ['store', 'model'],
  http: ['model', 'log.ts'],
  model: [],
  'log.ts': [],
  'start-worker.ts': ['package-root.ts'],
  'garbage-collector.ts': [],
  'step-back.ts': [],
  'until-closed.ts': [],
  'package-root.ts': [],
};

test('imports go one way', () => {
  for (const file of files) {
    const from = folderOf(file);
    const may = allowed[from];
    assert.ok(may, `${file}: unknown place`);
    for (const [, target] of textOf(file).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const to = folderOf(relative(src, resolve(src, dirname(file), target!)));
      assert.ok(to === from || may.includes(to), `${file} imports ${target}`);
    }
  }
});

test('the parts of a query import one way', () => {
  const parts = ['reports', 'rows', 'scan', 'visitors'];
  const importsOf = (file: string): string[] =>
    [...textOf(file).matchAll(/from '(\.[^']+)'/g)].map(([, target]) => join(dirname(file), target!));
  for (const [i, part] of parts.entries()) {
    for (const file of files.filter(name => name.startsWith(`query/${part}/`))) {
      for (const target of importsOf(file)) {
        const [folder, to] = target.split('/');
        if (folder !== 'query') continue;
        const below = ['query.ts', 'context.ts', 'pace.ts', 'scratch.ts', ...parts.slice(i)];
        assert.ok(below.includes(to!), `${file} imports ${target}`);
      }
    }
  }
});

test('the browser loads nothing of the server: only the model, the wire and types', () => {
  const app = 'dashboard/app';
  for (const file of files.filter(name => name.startsWith(app))) {
    for (const [, type, target] of textOf(file).matchAll(
      /(?:(?:import|export) (type )?[^;]*?from |import\()'(\.[^']+)'/g,
    )) {
      const to = relative(src, resolve(src, dirname(file), target!));
      const may = to.startsWith(`${app}/`) || folderOf(to) === 'model' || to === 'dashboard/wire.ts';
      // Types of answers come from the schemas that the API describes them with.
      const isOfAnswers = file === `${app}/answers.ts` && folderOf(to) === 'api';
      assert.ok(may || (type && (to === 'query/query.ts' || isOfAnswers)), `${file} imports ${target}`);
    }
  }
});

test('only the store loads SQLite, and only it and the cluster hold SQL', () => {
  for (const file of files) {
    if (folderOf(file) === 'store') continue;
    assert.not.match(textOf(file), /from 'better-sqlite3'/, file);
    if (folderOf(file) === 'cluster') continue;
    assert.not.match(codeOf(file), /\.prepare\(|\bselect .+ from \w+ where\b|\binsert into \w+ /, file);
  }
});

test('comments cite sections that exist', () => {
  const headings = (file: string): string[] =>
    [...readFileSync(join(packageRoot, file), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  let cited = 0;
  for (const file of files) {
    const text = textOf(file).replace(/\n \* /g, ' ');
    for (const [, document, first, second] of text.matchAll(/\b(docs\/\w+\.md),\s"([^"]+)"(?: and "([^"]+)")?/g)) {
      const known = headings(document!);
      for (const section of [first, second]) {
        if (section === undefined) continue;
        assert.ok(
          known.some(heading => heading.startsWith(section)),
          `${file} cites ${document}, "${section}"`,
        );
        cited++;
      }
    }
  }
  assert.ok(cited > 20);
});

test('only main.ts, and the browser’s, read environment, clock, randomness and signals', () => {
  for (const file of files) {
    if (file === 'main.ts' || file === 'dashboard/app/main.tsx') continue;
    const code = codeOf(file);
    for (const forbidden of [
      /process\.env/,
      /Date\.now\(/,
      /new Date\(\)/,
      /Math\.random\(/,
      /randomBytes/,
      /randomUUID/,
      /process\.on\(/,
    ]) {
      assert.not.match(code, forbidden, file);
    }
  }
});

test('no files import each other in a circle, of whatever length', () => {
  const isDone = new Set<string>();
  const walk = (file: string, way: readonly string[]): void => {
    assert.not.ok(way.includes(file), [...way.slice(way.indexOf(file)), file].join(' imports '));
    if (isDone.has(file)) return;
    for (const [, target] of textOf(file).matchAll(/(?:from|import\()\s*'(\.[^']+\.tsx?)'/g))
      if (!target!.endsWith('.d.ts')) walk(relative(src, resolve(src, dirname(file), target!)), [...way, file]);
    isDone.add(file);
  };
  for (const file of [...files, ...trackerFiles]) walk(file, []);
  assert.ok(isDone.size > 600);
});

const typeFilesMax = 3;

test('an exported type has a name of its own, and no name of a type stands in more than three files', () => {
  const exported = new Map<string, string>();
  const declared = new Map<string, string[]>();
  for (const file of files) {
    for (const [, isExported, name] of textOf(file).matchAll(/^(export )?(?:type|interface|class) (\w+)/gm)) {
      declared.set(name!, [...(declared.get(name!) ?? []), file]);
      if (!isExported) continue;
      assert.not.ok(exported.has(name!), `${name} is exported by ${exported.get(name!)} and ${file}`);
      exported.set(name!, file);
    }
  }
  for (const [name, places] of declared)
    assert.ok(new Set(places).size <= typeFilesMax, `${name} is declared in ${places}`);
  assert.ok(exported.size > 500);
});

const commentColumnsMax = 100;

test('no line of a comment is longer than 100 columns', () => {
  for (const file of [...files, ...trackerFiles]) {
    // Days without some hits are being replaced as a whole.
    if (/^(store|query)\/removal\//.test(file)) continue;
    for (const line of textOf(file).split('\n'))
      if (/^\s*(\/\/|\/\*|\*|\{\/\*)/.test(line)) assert.ok(line.length <= commentColumnsMax, `${file}: ${line}`);
  }
});

const functionLinesMax = 70;

/** Functions of formatted code by name, each with its lines: from its signature to the bracket that closes its body. */
const functionsOf = (file: string): { name: string; lines: number }[] => {
  const lines = textOf(file).split('\n');
  const found: { name: string; lines: number }[] = [];
  /** By indentation, the line that the latest statement begins with, and the latest line of it so far. */
  const begun: number[] = [];
  const latest: number[] = [];
  for (const [i, line] of lines.entries()) {
    const text = line.trimStart();
    if (text === '' || /^(\/\/|\/\*|\*)/.test(text)) continue;
    const at = line.length - text.length;
    if (text.startsWith('}')) {
      const head = lines.slice(begun[at], latest[at]! + 1).join(' ');
      const isFunction = /(=>|\)(: .+)?) \{$/.test(head) && !/^ *(if|for|while|switch|class|try)\b/.test(head);
      const name = /^(?:export |async |const |function\*? |[#*])*([\w$]+)/.exec(head.trimStart())?.[1];
      if (isFunction) found.push({ name: name ?? '', lines: i - begun[at]! + 1 });
    }
    if (!/^[)\]}]/.test(text)) begun[at] = i;
    latest[at] = i;
  }
  return found;
};

test('what long tests try is there, and so are they', () => {
  const tests = readdirSync(join(packageRoot, 'test'), { recursive: true, encoding: 'utf8' });
  for (const [pattern, paths] of tried) {
    assert.ok(
      tests.some(file => file.endsWith('.test.ts') && pattern.test(file)),
      String(pattern),
    );
    for (const path of `${paths} ${used}`.split(' ')) assert.ok(existsSync(join(packageRoot, path)), path);
  }
});

test('functions have at most 70 lines', () => {
  let found = 0;
  for (const file of [...files, ...trackerFiles]) {
    for (const { name, lines } of functionsOf(file)) {
      found++;
      assert.ok(lines <= functionLinesMax, `${name} in ${file} has ${lines} lines`);
    }
  }
  assert.ok(found > 1000);
});

test.run();
