/** A short run of what `npm run test:cluster` tries for longer: two shards of Debian's ClickHouse. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withDirectory } from '../tools/directories.ts';
import { agree } from './agree.ts';
import { hasClickHouse, startServers } from './servers.ts';

const tryIt = hasClickHouse() ? test : test.skip;

tryIt('ClickHouse gives the same answers', () =>
  withDirectory(async dir => {
    const servers = await startServers(dir, 2, 1);
    try {
      const { asked, differing } = await agree(servers.address, { firstSeed: 101, sites: 1, queriesPerSite: 2 });
      assert.equal(differing, []);
      assert.ok(asked > 50, `${asked} questions`);
    } finally {
      await servers.close();
    }
  }),
);

test.run();
