import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { siteDirectory, sites } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { runCommand, testNow } from './helpers.ts';

test('site add prints what the API shows of a site, and its defaults', async () => {
  const dir = temporaryDir();
  const ran = await runCommand(dir, ['site', 'add', 'HTTPS://Example.com:80/a', '--json']);
  assert.is(ran.code, 0);
  const site = ran.json();
  assert.equal(Object.keys(site), ['id', 'publicKey', 'domain', 'timezone', 'currency', 'identityMode', 'createdAt']);
  assert.match(site.id, /^[\da-f-]{36}$/);
  assert.match(site.publicKey, /^pk_live_[\dA-Za-z]{24}$/);
  assert.equal(
    [site.domain, site.timezone, site.currency, site.identityMode, site.createdAt],
    ['example.com', 'UTC', 'USD', 'hash', new Date(testNow).toISOString()],
  );
});

test('site add keeps every setting it is given', async () => {
  const dir = temporaryDir();
  const id = '11111111-2222-4333-8444-555555555555';
  await runCommand(dir, ['account', 'add', 'acme']);
  const flags = [
    '--timezone',
    'Asia/Kathmandu',
    '--currency',
    'npr',
    '--id',
    id,
    '--identity-mode',
    'cookie',
    '--account',
    'acme',
  ];
  const lists = ['--exclude-ip', '203.0.113.9', '--exclude-ip', '2001:DB8::/32', '--exclude-path', '/admin/**'];
  lists.push(
    '--sender-hits',
    '200',
    '--public-part',
    'queries',
    '--embed-host',
    '*.Blog.example',
    '--leave-out',
    'hosting',
    '--allow-host',
    '*.Shop.example',
    '--exclude-country',
    'de',
    '--keep-days',
    '400',
    '--alias',
    'Matomo:7',
  );
  await runCommand(dir, ['site', 'add', 'shop.example', ...flags, ...lists]);
  const [site] = (await runCommand(dir, ['site', 'list', '--json'])).json();
  const { publicKey: _, ...rest } = site;
  assert.equal(rest, {
    id,
    domain: 'shop.example',
    timezone: 'Asia/Kathmandu',
    currency: 'NPR',
    identityMode: 'cookie',
    createdAt: new Date(testNow).toISOString(),
    account: 'acme',
    aliases: ['matomo:7'],
    excludedIps: ['203.0.113.9', '2001:db8::/32'],
    excludedPaths: ['/admin/**'],
    allowedHosts: ['*.shop.example'],
    excludedCountries: ['DE'],
    senderHits: 200,
    senderBurst: null,
    keepDays: 400,
    embedHosts: ['*.blog.example'],
    leftOut: ['hosting'],
  });
});

test('a wrong value makes no site and no database', async () => {
  const dir = temporaryDir();
  for (const flags of [
    ['--timezone', 'X'],
    ['--currency', 'X'],
    ['--id', 'X'],
    ['--exclude-ip', 'X'],
    ['--exclude-path', 'X'],
    ['--exclude-path', `/${'x'.repeat(200)}`],
    Array.from({ length: 101 }, (_, i) => ['--exclude-path', `/${i}`]).flat(),
    Array.from({ length: 101 }, (_, i) => ['--alias', `matomo:${i + 1}`]).flat(),
    ['--sender-hits', '0'],
    ['--sender-burst', 'X'],
    ['--alias', 'matomo:x'],
    ['--allow-host', '*'],
    ['--exclude-country', 'Germany'],
    ['--keep-days', '0'],
    ['--public-part', 'visits'],
    ['--leave-out', 'people'],
  ]) {
    assert.is((await runCommand(dir, ['site', 'add', 'a.example', ...flags])).code, 2);
  }
  const listing = await runCommand(dir, ['site', 'list']);
  assert.is(listing.code, 1);
  assert.match(listing.stderr, /^daybook: There is no database in .* yet: daybook site add DOMAIN makes one/);
});

test('a domain stands once in an account, an id once at all', async () => {
  const dir = temporaryDir();
  const first = (await runCommand(dir, ['site', 'add', 'a.example', '--json'])).json();
  await runCommand(dir, ['account', 'add', 'acme']);
  const again = await runCommand(dir, ['site', 'add', 'A.example']);
  assert.equal([again.code, again.stderr], [1, 'daybook: There is a site a.example already.\n']);
  const sameId = await runCommand(dir, ['site', 'add', 'b.example', '--id', first.id]);
  assert.equal([sameId.code, sameId.stderr], [1, 'daybook: There is a site with this id or key already.\n']);
  assert.is((await runCommand(dir, ['site', 'add', 'a.example', '--account', 'acme'])).code, 0);

  const ambiguous = await runCommand(dir, ['site', 'set', 'a.example', '--currency', 'EUR']);
  assert.is(
    ambiguous.stderr,
    'daybook: There is a site a.example in each of the accounts default, acme: say which with --account.\n',
  );
  assert.is((await runCommand(dir, ['site', 'set', 'a.example', '--currency', 'EUR', '--account', 'acme'])).code, 0);
  const shown = (await runCommand(dir, ['site', 'list', '--json', '--account', 'acme'])).json();
  assert.equal(
    shown.map((site: { currency: string }) => site.currency),
    ['EUR'],
  );
});

test('site set changes what it is told and nothing else; lists are replaced, and cleared by an empty value', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'a.example', '--exclude-ip', '192.0.2.1', '--exclude-path', '/x']);
  const set = async (...flags: string[]) =>
    (await runCommand(dir, ['site', 'set', 'a.example', ...flags, '--json'])).json();
  const before = (await runCommand(dir, ['site', 'list', '--json'])).json()[0];
  assert.equal(await set('--identity-mode', 'cookie'), { ...before, identityMode: 'cookie' });
  assert.equal((await set('--exclude-ip', '192.0.2.2')).excludedIps, ['192.0.2.2']);
  assert.equal((await set('--exclude-ip', '')).excludedIps, []);
  const links = async () => {
    const listed = (await runCommand(dir, ['share', 'list', 'a.example', '--json'])).json();
    return listed.map(({ name, parts }: { name: string; parts: string[] }) => [name, parts]);
  };
  await set('--public-part', '');
  assert.equal(await links(), []);
  await set('--public-part', 'outcomes');
  assert.equal(await links(), [['public', ['outcomes']]], 'as before there were several links');
  await set('--public-part', '');
  assert.equal(await links(), [['public', []]]);
  assert.equal((await set('--leave-out', 'hosting', '--leave-out', 'many-pages')).leftOut, ['hosting', 'many-pages']);
  assert.equal((await set('--leave-out', '')).leftOut, []);
  assert.equal((await set('--alias', 'goatcounter:A', '--alias', 'old.example')).aliases, [
    'goatcounter:a',
    'old.example',
  ]);
  const named = await runCommand(dir, ['site', 'set', 'goatcounter:a', '--alias', '', '--json']);
  assert.equal(named.json().aliases, []);
  assert.is((await set('--sender-burst', '5')).senderBurst, 5);
  assert.is((await set('--sender-burst', '')).senderBurst, null);
  assert.equal((await set('--timezone', 'Europe/Paris', '--domain', 'b.example')).domain, 'b.example');
  const after = (await runCommand(dir, ['site', 'list', '--json'])).json()[0];
  assert.equal(after, {
    ...before,
    identityMode: 'cookie',
    excludedIps: [],
    timezone: 'Europe/Paris',
    domain: 'b.example',
  });
});

test('site set refuses an empty change, an unknown site and a taken domain', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'a.example']);
  await runCommand(dir, ['site', 'add', 'bb.example']);
  const errorOf = async (...args: string[]) => {
    const { code, stderr } = await runCommand(dir, ['site', 'set', ...args]);
    return `${code} ${stderr}`;
  };
  assert.is(await errorOf('a.example'), '2 daybook: site set needs at least one setting to change.\n');
  assert.is(
    await errorOf('ab.example', '--currency', 'EUR'),
    '1 daybook: There is no site ab.example. Did you mean a.example?\n',
  );
  assert.is(await errorOf('a.example', '--domain', 'bb.example'), '1 daybook: There is a site bb.example already.\n');
});

test('a running server sees a change at once', async () => {
  const dir = temporaryDir();
  const { publicKey } = (await runCommand(dir, ['site', 'add', 'a.example', '--json'])).json();
  const db = openDatabase(dir);
  const directory = siteDirectory(db);
  await runCommand(dir, ['site', 'set', 'a.example', '--identity-mode', 'cookie']);
  directory.refresh();
  assert.is(directory.find(publicKey)?.identityMode, 'cookie');
  await runCommand(dir, ['site', 'remove', 'a.example', '--yes']);
  directory.refresh();
  assert.is(directory.find(publicKey), undefined);
  db.close();
});

/** A data directory with a site that has one hit. */
const withHit = async (): Promise<{ dir: string; hits: () => number }> => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'a.example']);
  const db = openDatabase(dir);
  const siteId = sites(db).list()[0]!.id;
  recorder(db).write([
    recordedEntry(
      hitRecord({ siteId, day: 20_000, visitId: 1, at: 20_000 * 86_400_000 }),
      visitRecord({ siteId, day: 20_000, id: 1 }),
    ),
  ]);
  db.close();
  const hits = (): number => {
    const reader = openDatabase(dir);
    const found = recorder(reader).activeVisits(0).length;
    reader.close();
    return found;
  };
  return { dir, hits };
};

test('reset deletes the hits, remove the site too, and a script has to say --yes', async () => {
  const { dir, hits } = await withHit();
  assert.is(hits(), 1);
  const before = (await runCommand(dir, ['site', 'list', '--json'])).json();
  for (const word of ['reset', 'remove']) {
    const { code, stderr } = await runCommand(dir, ['site', word, 'a.example']);
    assert.is(code, 2);
    assert.match(stderr, /^daybook: This deletes .* for good\. Where nobody can be asked, it needs --yes\.\n$/);
    assert.is(hits(), 1);
  }
  assert.is((await runCommand(dir, ['site', 'reset', 'a.example', '--yes'])).code, 0);
  assert.is(hits(), 0);
  assert.equal((await runCommand(dir, ['site', 'list', '--json'])).json(), before);
  assert.is((await runCommand(dir, ['site', 'remove', 'a.example', '--yes'])).code, 0);
  assert.equal((await runCommand(dir, ['site', 'list', '--json'])).json(), []);
});

test('on a terminal, deleting asks for the domain unless --yes is given', async () => {
  const { dir, hits } = await withHit();
  for (const answer of ['', 'y\n', 'a.exampl\n']) {
    const ran = await runCommand(dir, ['site', 'reset', 'a.example'], { terminal: true, stdin: answer });
    assert.is(ran.code, 1);
    assert.match(
      ran.stderr,
      /Type a\.example to go on: daybook: Nothing was changed: the answer was not a\.example\.\n$/,
    );
    assert.is(hits(), 1);
  }
  assert.is((await runCommand(dir, ['site', 'reset', 'a.example'], { terminal: true, stdin: 'a.example\n' })).code, 0);
  assert.is(hits(), 0);
  assert.is((await runCommand(dir, ['site', 'remove', 'a.example', '--yes'], { terminal: true })).code, 0);
});

test('the default account is made when first needed, and no other', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'a.example']);
  const db = openDatabase(dir);
  assert.equal(
    accounts(db)
      .list()
      .map(({ name, plan }) => [name, plan]),
    [['default', 'unlimited']],
  );
  db.close();
  const other = await runCommand(dir, ['site', 'add', 'b.example', '--account', 'acme']);
  assert.equal(
    [other.code, other.stderr],
    [1, 'daybook: There is no account acme: daybook account add acme makes it.\n'],
  );
});

test('people get the tag for their pages', async () => {
  const srcOf = async (env: Record<string, string>): Promise<string | undefined> => {
    const ran = await runCommand(temporaryDir(), ['site', 'add', 'a.example'], { env });
    return /<script defer src="(.*)" data-site="pk_live_\w{24}"><\/script>/.exec(ran.stdout)?.[1];
  };
  assert.is(await srcOf({}), 'http://127.0.0.1:8080/t.js');
  assert.is(await srcOf({ PORT: '81', BASE_URL: 'https://stats.example/' }), 'https://stats.example/t.js');
  assert.is(await srcOf({ BASE_URL: 'https://stats.example', COLLECTOR_PORT: '82' }), 'http://127.0.0.1:82/t.js');
  assert.is(await srcOf({ COLLECTOR_PORT: '82', COLLECTOR_URL: 'https://t.example' }), 'https://t.example/t.js');
});

test('people get tables', async () => {
  const dir = temporaryDir();
  const id = '11111111-2222-4333-8444-555555555555';
  const added = await runCommand(dir, ['site', 'add', 'a.example', '--id', id, '--exclude-path', '/x']);
  const key = /pk_live_\w+/.exec(added.stdout)![0];
  assert.is(
    (await runCommand(dir, ['site', 'list'])).stdout,
    `DOMAIN     PUBLIC KEY                        ID                                    TIME ZONE  CURRENCY  MODE  ACCOUNT  ALIASES  EXCLUDED
a.example  ${key}  ${id}  UTC        USD       hash  default  -        /x
`,
  );
});

test.run();
