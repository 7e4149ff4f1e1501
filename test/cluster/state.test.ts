/** Which control states a follower takes: those of a primary that knows what it has, and no others. */
import { cpSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LogFields } from '../../src/log.ts';
import { controlTags } from '../../src/store/control-tags.ts';
import { followerStore } from '../../src/store/follower.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { addSite, temporaryDatabase, temporaryDir } from '../helpers.ts';
import {
  primaryFlags,
  startTestAnswer,
  startTestCollector,
  startTestServer,
  type TestServer,
} from '../start-server.ts';
import { until } from '../tools/conditions.ts';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const send = async ({ url }: TestServer, site: string): Promise<string> => {
  const body = JSON.stringify({ s: site, u: 'https://a.example/' });
  const response = await fetch(`${url}/e`, { method: 'POST', body, headers: { 'user-agent': chrome } });
  await response.text();
  return response.headers.get('x-daybook') ?? '';
};

const hitsIn = ({ db }: TestServer): number => db.prepare('select count(*) from hit').pluck().get() as number;
const uuidsIn = ({ db }: TestServer): string[] =>
  sites(db)
    .list()
    .map(({ uuid }) => uuid);
const hasRefused = ({ db }: TestServer): boolean =>
  db.prepare('select count(*) from control_tag where known = 0').pluck().get() === 1;

/** A primary with a site, and a collector that took three hits of it. */
const startCluster = async () => {
  const primary = await startTestServer({ flags: primaryFlags });
  const flags = { ...primaryFlags, port: new URL(primary.url).port };
  const site = addSite(primary.db);
  const log: [event: string, fields: LogFields | undefined][] = [];
  const collector = await startTestCollector(primary.url, { log: (...line) => log.push(line as (typeof log)[number]) });
  for (let i = 0; i < 3; i++) assert.is(await send(collector, site.publicKey), 'recorded');
  const isUnknown = (): Promise<void> =>
    until('it says that its state is unknown', () => log.some(([event]) => event === 'state-unknown'), 10_000);
  const isKnown = (): Promise<void> => until('it is heard', () => log.at(-1)![0] === 'primary-answers', 10_000);
  return { primary, flags, site, collector, log, isUnknown, isKnown };
};

test('a primary on an empty directory changes nothing at its followers', async () => {
  const { primary, flags, site, collector, log, isUnknown, isKnown } = await startCluster();
  await primary.close();
  const empty = await startTestServer({ flags });
  addSite(empty.db);
  await isUnknown();
  assert.ok(hasRefused(empty));
  assert.equal(uuidsIn(collector), [site.uuid]);
  assert.is(await send(collector, site.publicKey), 'recorded');
  assert.is(hitsIn(collector), 4);
  await empty.close();

  const back = await startTestServer({ dataDir: primary.dataDir, flags });
  await isKnown();
  const second = addSite(back.db);
  await until('states are taken again', () => uuidsIn(collector).includes(second.uuid));
  assert.is(hitsIn(collector), 4);
  assert.is(log.filter(([event]) => event === 'state-unknown').length, 1, 'it is said once');
  for (const server of [collector, back]) await server.close();
});

test('a primary of an older copy is refused until somebody adopts, also after it was changed', async () => {
  const { primary, flags, site, collector, isUnknown } = await startCluster();
  await primary.close();
  const copy = temporaryDir();
  cpSync(primary.dataDir, copy, { recursive: true });
  const later = await startTestServer({ dataDir: primary.dataDir, flags });
  const lost = addSite(later.db);
  await until('the collector knows it', () => uuidsIn(collector).includes(lost.uuid));
  assert.is(await send(collector, lost.publicKey), 'recorded');
  await later.close();

  const older = await startTestServer({ dataDir: copy, flags });
  const made = addSite(older.db);
  await isUnknown();
  assert.is(await send(collector, lost.publicKey), 'recorded');
  assert.equal(uuidsIn(collector), [site.uuid, lost.uuid]);
  const adopt = () => runCommand(copy, ['cluster', 'adopt', '--json']);
  assert.equal((await adopt()).json(), { adopted: 1 });
  assert.equal((await adopt()).json(), { adopted: 0 });
  await until('the collector takes it', () => uuidsIn(collector).includes(made.uuid));
  assert.equal(uuidsIn(collector), [site.uuid, made.uuid]);
  assert.is(hitsIn(collector), 5, 'hits stay, whatever sites there are');
  for (const server of [collector, older]) await server.close();
});

test('of two primaries, a follower takes the states of its own', async () => {
  const { primary, flags, site, collector } = await startCluster();
  await primary.close();
  const copy = temporaryDir();
  cpSync(primary.dataDir, copy, { recursive: true });
  const one = await startTestServer({ dataDir: primary.dataDir, flags });
  const two = await startTestServer({ dataDir: copy, flags: primaryFlags });
  const ofOne = addSite(one.db);
  await until('the first has changed', () => uuidsIn(collector).includes(ofOne.uuid));
  addSite(two.db);
  const { dataDir } = collector;
  await collector.close();
  const moved = await startTestCollector(two.url, { dataDir });
  await until('the second refuses', () => hasRefused(two));
  assert.equal(uuidsIn(moved), [site.uuid, ofOne.uuid]);
  for (const server of [moved, one, two]) await server.close();
});

test('a state is the same state after a restart, and tags are bounded', async () => {
  const { primary, flags, collector } = await startCluster();
  const { tag } = followerStore(collector.db).get()!;
  assert.match(tag!, /^[0-9a-f]{32}$/);
  await primary.close();
  const back = await startTestServer({ dataDir: primary.dataDir, flags });
  const other = await startTestCollector(back.url);
  assert.is(followerStore(other.db).get()!.tag, tag);
  for (const server of [other, collector, back]) await server.close();

  const { db } = temporaryDatabase();
  const tags = controlTags(db, bytes => Buffer.alloc(bytes, 7));
  const tagOf = (i: number): string => i.toString(16).padStart(32, '0');
  for (let i = 0; i < 1500; i++) assert.ok(tags.refuse(tagOf(i), 'collect', i));
  assert.not(tags.refuse(tagOf(1499), 'collect', 0));
  assert.is(tags.adopt(), 1000);
  assert.equal([tags.isKnown(tagOf(0)), tags.isKnown(tagOf(1499))], [false, true]);
  db.close();
});

for (const [status, who, reason] of [
  [
    404,
    'a proxy',
    /^no primary at this address; is \/cluster\/ closed by a proxy, or the primary of an earlier version\?$/,
  ],
  // 0.1.0 wants a number in each report.
  [
    400,
    'a primary of 0.1.0',
    /^it may be of an earlier version: update the primary to \d+\.\d+\.\d+ or later first, .* \(it answered with the status 400/,
  ],
] as const)
  test(`where ${who} answers, a new follower says so and waits`, async () => {
    const server = createServer((_, response) => response.writeHead(status).end('{"error":"bad body"}'));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const said: string[] = [];
    const stop = new AbortController();
    const starting = startTestCollector(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      log: (_, fields) => said.push(String(fields?.reason)),
      signal: stop.signal,
    }).catch(error => error.message);
    await until('it says so', () => said.length > 0);
    assert.match(said.join(), reason);
    stop.abort();
    assert.match(await starting, /does not answer\.$/);
    server.close();
  });

test('a wrong token ends who only answers', async () => {
  const primary = await startTestServer({ flags: primaryFlags });
  const flags = { ...primaryFlags, port: new URL(primary.url).port };
  const site = addSite(primary.db);
  const [collector, answers] = [await startTestCollector(primary.url), await startTestAnswer(primary.url)];
  await primary.close();
  const changed = await startTestServer({
    dataDir: primary.dataDir,
    flags: { ...flags, token: 'another token of it' },
  });
  assert.is(
    await answers.needsStart!,
    `${primary.url} refuses the token: CLUSTER_TOKEN must be one that the primary knows.`,
  );
  assert.is(await send(collector, site.publicKey), 'recorded');
  for (const server of [collector, answers, changed]) await server.close();
});

test.run();
