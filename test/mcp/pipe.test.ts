/** `daybook mcp` as an assistant starts it: the bundled program, with the real clients of both eras. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/package-root.ts';
import { key } from '../api/fixture.ts';
import { startProgram } from '../compat/fixture.ts';
import { addSite } from '../helpers.ts';

const program = await startProgram();
addSite(program.db, { domain: 'other.example' });
const file = join(packageRoot, 'dist/daybook.js');
const about = { name: 'test', version: '1' };

const start = (args: string[], env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [file, 'mcp', ...args],
  env: { ...(process.env as Record<string, string>), ...env },
});

const ways: [string, ReturnType<typeof start>][] = [
  ['a directory', start(['--data', program.dataDir])],
  ['a server', start(['--url', program.url], { DAYBOOK_KEY: key })],
];

for (const [name, how] of ways) {
  test(`a client of 2026 asks ${name}`, async () => {
    const client = new Client(about, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StdioClientTransport(how));
    const { tools } = await client.listTools();
    assert.ok(tools.length >= 15);
    const { structuredContent } = await client.callTool({ name: 'list_sites', arguments: {} });
    const { sites } = structuredContent as { sites: { domain: string }[] };
    assert.equal(
      sites.map(({ domain }) => domain),
      ['other.example', 'shop.example'],
    );
    await client.close();
  });

  test(`a client of 2025 asks ${name}`, async () => {
    const client = new OldClient(about);
    await client.connect(new OldTransport(how) as never);
    assert.ok((await client.listTools()).tools.length >= 15);
    const given = { site: 'shop.example', from: '2026-11-14', to: '2026-11-20', compare: 'none' };
    const { structuredContent } = await client.callTool({ name: 'get_stats', arguments: given });
    const { visitors } = structuredContent as { visitors: number };
    const { body } = await program.ask(`/api/v1/sites/${program.shop.uuid}/stats?from=2026-11-14&to=2026-11-20`);
    assert.is(visitors, body.visitors);
    await client.close();
  });
}

/** Everything that it prints to stdout for some lines, and how it ends. */
const printed = async (how: ReturnType<typeof start>, lines: string[]) => {
  const child = spawn(how.command, how.args, { env: how.env, stdio: 'pipe' });
  let [text, failure] = ['', ''];
  child.stdout.on('data', chunk => {
    text += chunk;
    if (text.split('\n').length > lines.length) child.stdin.end();
  });
  child.stderr.on('data', chunk => {
    failure += chunk;
  });
  child.stdin.write(lines.map(line => `${line}\n`).join(''));
  const code = await new Promise(resolve => child.once('close', resolve));
  return { text, code, failure };
};

const initialize = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: about },
};
const callOf = (id: number, name: string, given: object) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } },
});

test('only the protocol is on stdout, and other sites than those named are not there', async () => {
  const how = start(['--data', program.dataDir, '--site', 'shop.example']);
  const calls = [callOf(2, 'list_sites', {}), callOf(3, 'get_stats', { site: 'other.example' })];
  const { text, code } = await printed(
    how,
    [initialize, ...calls].map(each => JSON.stringify(each)),
  );
  assert.is(code, 0);
  const answers = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  for (const { jsonrpc } of answers) assert.is(jsonrpc, '2.0');
  const byId = (id: number) => answers.find(answer => answer.id === id).result;
  assert.equal(
    byId(2).structuredContent.sites.map(({ domain }: { domain: string }) => domain),
    ['shop.example'],
  );
  assert.match(byId(3).content[0].text, /^site not found; sites: shop\.example$/);
});

test('a server that refuses is said in an answer', async () => {
  const how = start(['--url', program.url], { DAYBOOK_KEY: 'tk_live_wrong' });
  const { text } = await printed(how, [JSON.stringify(initialize)]);
  assert.match(JSON.parse(text).error.message, /answers 401/);
  const none = await printed(start(['--url', program.url]), []);
  assert.is(none.code, 1);
  assert.match(none.failure, /DAYBOOK_KEY is missing/);
});

test.after(() => program.close());
test.run();
