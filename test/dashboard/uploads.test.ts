import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createUploads } from '../../src/dashboard/uploads.ts';
import { temporaryDir } from '../helpers.ts';

const minuteMs = 60_000;

const file = (name: string, accountId = 1) => ({ accountId, siteId: accountId, name, size: 5 });

const prepared = () => {
  const dataDir = temporaryDir();
  const clock = { now: 0 };
  const uploads = createUploads({ dataDir, bytesMax: 100, now: () => clock.now, random: randomBytes });
  return { uploads, clock, files: (): number => readdirSync(join(dataDir, 'uploads')).length };
};

test('a file that nobody comes back to goes, though nobody uploads another', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const { uploads, clock, files } = prepared();
  uploads.begin(file('a'));
  for (const [at, left] of [
    [59, 1],
    [61, 0],
  ] as const) {
    clock.now = at * minuteMs;
    mock.timers.tick(10 * minuteMs);
    assert.is(files(), left);
  }
  uploads.close();
  mock.timers.reset();
});

test('a file that is imported stays until that is done', () => {
  const { uploads, clock, files } = prepared();
  const { id } = uploads.begin(file('a'));
  const release = uploads.keep([id]);
  clock.now = 90 * minuteMs;
  uploads.begin(file('b'));
  assert.is(files(), 2);
  release();
  clock.now += 59 * minuteMs;
  uploads.begin(file('c'));
  assert.is(files(), 3, 'it is perhaps imported again');
  clock.now += 2 * minuteMs;
  uploads.begin(file('d'));
  assert.is(files(), 2, 'a and b are gone');
  uploads.close();
});

test('files of one account leave room for those of others', () => {
  const { uploads, files } = prepared();
  for (let number = 0; number < 20; number++) uploads.begin(file(`a${number}`));
  assert.throws(
    () => uploads.begin(file('a')),
    (error: { reply?: { status: number } }) => error.reply?.status === 413,
  );
  uploads.begin(file('b', 2));
  assert.is(files(), 21);
  uploads.close();
});

test('a file that is begun again takes the place of the first, unless that is being imported', () => {
  const { uploads, files } = prepared();
  uploads.begin(file('a'));
  const { id } = uploads.begin(file('a'));
  assert.is(files(), 1);
  uploads.keep([id]);
  uploads.begin(file('a'));
  uploads.begin({ ...file('a'), size: 6 });
  assert.is(files(), 3);
  uploads.close();
});

test('a server that ends leaves no file', async () => {
  const { uploads, files } = prepared();
  const { id } = uploads.begin(file('a'));
  await uploads.add(1, id, 0, Buffer.from('12345'));
  uploads.close();
  assert.is(files(), 0);
});

test.run();
