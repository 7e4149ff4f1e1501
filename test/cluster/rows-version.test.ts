/** What is worked out of a visit stands in the rows of a cluster: rows of other rules must have another version. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hitColumns, rowsVersion, visitColumns } from '../../src/cluster/schema.ts';
import { packageRoot } from '../../src/package-root.ts';

const rules = ['channels', 'channel-hosts', 'suspects', 'hosting-networks', 'hit'];
/** Of each version of rows, a digest of the rules and columns that made them. */
const digests: Record<number, string> = { 4: '8c398f63d3e5a690' };

test('other rules or columns are another version of rows', () => {
  const hash = createHash('sha256').update(JSON.stringify([visitColumns, hitColumns]));
  for (const name of rules) hash.update(readFileSync(join(packageRoot, 'src', 'model', `${name}.ts`)));
  const digest = hash.digest('hex').slice(0, 16);
  const message = `If days on ClickHouse would be other rows now, raise rowsVersion in src/cluster/schema.ts; then note ${digest} here.`;
  assert.is(digests[rowsVersion], digest, message);
});

test.run();
