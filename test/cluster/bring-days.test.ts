/** What a primary brings from the cluster. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BringError, bringDays } from '../../src/cluster/bring-days.ts';
import { shippedVersions } from '../../src/cluster/ship-days.ts';
import { shippedText } from '../../src/cluster/shipped.ts';
import { dayMs } from '../../src/model/time.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { days, firstDay } from '../query/random-site.ts';

test('a day of which fewer hits come than were counted is not taken', async () => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sql = Buffer.concat(chunks).toString();
    response.end(sql.includes('count()') ? '{"data":[[3,2]]}' : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/daybook`);
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const version = shippedText(site.uuid, { state: 'sealed', version: 1, imports: [] });
  const shipped = [{ siteId: site.id, day: firstDay, node: 1, revision: 1, version, hits: 2, taken: 0 }];
  const bringing = {
    ...{ db, shards: [[url]], cluster: { shipped: async () => shipped }, node: 0 },
    now: () => (firstDay + days) * dayMs,
  };
  const failure = await bringDays(bringing, [site])
    .next()
    .catch(error => error);
  assert.instance(failure, BringError);
  assert.match(failure.message, /^Of 2 hits of .* on ClickHouse 0 came: try again\.$/);
  assert.equal([...shippedVersions(db)(site)], []);
  server.close();
});

test.run();
