/** What a primary says that was restored from an older copy: commands that can be typed as they are. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OlderCopyError } from '../../src/cluster/older-copy.ts';

test('the export begins with the first day of which nothing is here', () => {
  const newer = { siteId: 1, day: 20_000, node: 0, domain: 'a.example' };
  for (const [isHere, from] of [
    [true, '2024-10-05'],
    [false, '2024-10-04'],
  ] as const) {
    const { message } = new OlderCopyError({ ...newer, isHere });
    assert.match(message, /^ClickHouse has hits of 2024-10-04 /);
    assert.match(message, `daybook export FILE --site a.example --of primary --from ${from} `);
    assert.match(message, 'daybook import FILE --site a.example --all ');
    assert.match(message, 'daybook cluster import --delete-newer ');
  }
});

test.run();
