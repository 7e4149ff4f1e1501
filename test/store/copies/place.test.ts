/** The places that copies are kept in. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPlace } from '../../../src/store/copies/open-place.ts';
import type { Place } from '../../../src/store/copies/place.ts';
import { canMount, makeReadOnly } from '../../faults/mounts.ts';
import { temporaryDir } from '../../helpers.ts';
import { access, startBucketServer } from '../../tools/bucket-server.ts';

const failureOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    error => (error as Error).message,
  );

const keepsObjects = async (place: Place): Promise<void> => {
  assert.equal(await place.list('packs/'), []);
  assert.is(await place.get('owner'), null);
  const names = Array.from({ length: 8 }, (_, i) => `packs/${i} & more`);
  for (const name of names) await place.put(name, Buffer.from(name));
  await place.put('owner', Buffer.alloc(0));
  await place.put('points/2026-11-22T10-00-00.000Z', Buffer.alloc(3_000_000, 7));
  assert.equal(await place.list('packs/'), names);
  assert.equal(await place.get(names[3]!), Buffer.from(names[3]!));
  assert.is((await place.get('points/2026-11-22T10-00-00.000Z'))!.length, 3_000_000);
  await place.put(names[3]!, Buffer.from('new'));
  assert.equal(await place.get(names[3]!), Buffer.from('new'));
  for (const name of names) await place.remove(name);
  await place.remove('packs/never there');
  assert.equal(await place.list('packs/'), []);
};

test('a directory keeps objects, and leaves no parts of files', async () => {
  const to = join(temporaryDir(), 'made', 'on the way');
  await keepsObjects(openPlace({ to, key: null, access: null }));
  assert.equal(readdirSync(to).sort(), ['owner', 'packs', 'points']);
});

for (const folder of ['', '/some/folder']) {
  test(`a bucket keeps objects${folder && ' in a folder'}`, async () => {
    const server = await startBucketServer();
    await keepsObjects(openPlace({ to: server.url + folder, key: null, access }));
    await server.close();
  });
}

test('a bucket that fails for a moment is asked again; what it refuses is said', async () => {
  const server = await startBucketServer();
  const place = openPlace({ to: server.url, key: null, access });
  server.failures.push(503, 500);
  await place.put('owner', Buffer.from('x'));
  server.failures.push(503, 503, 503);
  assert.match(await failureOf(place.get('owner')), /^127\.0\.0\.1:\d+ answered 503: SlowDown, Later\.$/);
  const stranger = openPlace({ to: server.url, key: null, access: { ...access, secretAccessKey: 'guessed' } });
  assert.match(await failureOf(stranger.put('owner', Buffer.from('y'))), /answered 403: SignatureDoesNotMatch/);
  assert.equal(server.objects.get('owner'), Buffer.from('x'));
  const elsewhere = openPlace({ to: server.url.replace('bucket', 'other'), key: null, access });
  assert.match(await failureOf(elsewhere.put('owner', Buffer.from('y'))), /^There is no bucket http/);
  assert.match(await failureOf(elsewhere.list('packs/')), /^There is no bucket http/);
  assert.match(await failureOf(elsewhere.get('owner')), /^There is no bucket http/);
  await server.close();
  assert.match(await failureOf(place.get('owner')), /^127\.0\.0\.1:\d+ cannot be reached: /);
});

const asRoot = canMount() ? test : test.skip;
asRoot('a directory that may not be written says what systemd has to be told', async () => {
  const dir = temporaryDir();
  const mend = makeReadOnly(dir);
  try {
    for (const to of [dir, join(dir, 'copies', 'of-one')]) {
      const problem = await failureOf(openPlace({ to, key: null, access: null }).put('owner', Buffer.from('x')));
      assert.match(problem, /cannot be written: EROFS: .*ReadWritePaths of its unit names\.$/);
    }
  } finally {
    mend();
  }
});

test('a bucket without credentials or name is refused at once', async () => {
  assert.throws(() => openPlace({ to: 's3://bucket', key: null, access: null }), /set AWS_ACCESS_KEY_ID/);
  assert.throws(() => openPlace({ to: 'https://host', key: null, access }), /names no bucket/);
});

test.run();
