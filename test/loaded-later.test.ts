/** The libraries of signing in weigh more than an idle server should: nothing loads them before somebody needs them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../src/package-root.ts';

const dist = join(packageRoot, 'dist');
const texts = new Map(
  readdirSync(dist)
    .filter(name => name.endsWith('.js'))
    .map(name => [name, readFileSync(join(dist, name), 'utf8')]),
);
/** What a file imports before it runs. */
const importsOf = (name: string): string[] =>
  [...texts.get(name)!.matchAll(/^(?:import|export)\b[^;'"]*?(?:from )?"\.\/([^"]+)";$/gm)].map(([, file]) => file!);
const holding = (source: string): string[] =>
  [...texts].filter(([, text]) => text.includes(`// ${source}`)).map(([name]) => name);

const later: [library: string, loadedBy: string][] = [
  ['node_modules/openid-client/', 'src/dashboard/oidc/client.ts'],
  ['node_modules/oauth4webapi/', 'src/dashboard/oidc/client.ts'],
  ['node_modules/jose/', 'src/dashboard/oidc/client.ts'],
  ['node_modules/@simplewebauthn/server/', 'src/dashboard/passkeys/verify.ts'],
  ['node_modules/@peculiar/', 'src/dashboard/passkeys/verify.ts'],
];

test('nothing imports the libraries of signing in but the files that are loaded when they are needed', () => {
  for (const [library, loadedBy] of later) {
    const found = holding(library);
    assert.ok(found.length > 0, library);
    const loaders = new Set([...found, ...holding(loadedBy)]);
    for (const name of texts.keys()) {
      const isLoader = loaders.has(name);
      assert.ok(isLoader || !importsOf(name).some(file => loaders.has(file)), `${name} imports ${library}`);
    }
  }
});

test('no program begins with one of them', () => {
  for (const [library] of later) assert.not.ok(holding(library).includes('daybook.js'), library);
  assert.ok(importsOf('daybook.js').length > 0, 'what it imports is found');
});

test('what is loaded later works in the bundle as well', async () => {
  for (const [source, name] of [
    ['src/dashboard/oidc/client.ts', 'createOidcClient'],
    ['src/dashboard/passkeys/verify.ts', 'verifyNew'],
  ] as const) {
    const loaded = await Promise.all(holding(source).map(file => import(join(dist, file))));
    assert.ok(
      loaded.some(part => typeof part[name] === 'function'),
      source,
    );
  }
});

test.run();
