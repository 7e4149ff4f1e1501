/** The libraries of signing in and of assistants weigh more than an idle server should: nothing loads them before
 * somebody needs them. */
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

/** It, and what it imports, and so on. */
const withImports = (names: readonly string[]): Set<string> => {
  const all = new Set(names);
  for (const name of all) for (const file of importsOf(name)) all.add(file);
  return all;
};

const later = [
  'node_modules/@modelcontextprotocol/server/',
  'node_modules/zod/',
  'node_modules/openid-client/',
  'node_modules/oauth4webapi/',
  'node_modules/jose/',
  'node_modules/@simplewebauthn/server/',
  'node_modules/@peculiar/',
  'node_modules/nodemailer/',
];

test('neither a command nor a server begins with one of them', () => {
  const servers = ['src/server.ts', 'src/roles/', 'src/cli/serve.ts', 'src/query/threads/'].flatMap(holding);
  const begun = withImports(['daybook.js', ...servers]);
  assert.ok(begun.size > 5, 'what they import is found');
  for (const library of later) {
    const found = holding(library);
    assert.ok(found.length > 0, library);
    for (const name of found) assert.not.ok(begun.has(name), `${name} holds ${library}`);
  }
});

test('what is loaded later works in the bundle as well', async () => {
  for (const [source, name] of [
    ['src/dashboard/oidc/client.ts', 'createOidcClient'],
    ['src/dashboard/passkeys/verify.ts', 'verifyNew'],
    ['src/mcp/protocol.ts', 'httpHandler'],
  ] as const) {
    const loaded = await Promise.all(holding(source).map(file => import(join(dist, file))));
    assert.ok(
      loaded.some(part => typeof part[name] === 'function'),
      source,
    );
  }
});

test.run();
