import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { repeat } from '../repeat.ts';
import { agreeRemoval } from './agree-removal.ts';
import { hasClickHouse, startServers } from './servers.ts';

const tryIt = hasClickHouse() ? test : test.skip;

tryIt('hits go out of days that only ClickHouse has, come back, and go with old days and sites', async () => {
  const servers = await startServers(temporaryDir(), 2, 1);
  try {
    const { asked, differing } = await agreeRemoval(servers.address, 3, repeat > 1 ? 1 : 0.25);
    assert.equal(differing, []);
    assert.ok(asked > 100, `${asked} questions`);
  } finally {
    await servers.close();
  }
});

test.run();
