/** What somebody who runs a cluster sees of its servers. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { primaryFlags } from '../start-server.ts';
import { violationsOf } from './axe.ts';
import { domain, openStage } from './dashboard.ts';

const stage = await openStage({ flags: primaryFlags });
if (stage !== null) {
  const { open, server } = stage;
  const report = (identity: string, role: string, stats: object): Promise<Response> =>
    fetch(`${server.url}/cluster/node`, {
      method: 'POST',
      headers: { authorization: `Bearer ${primaryFlags.token}` },
      body: JSON.stringify({
        ...{ identity: identity.repeat(32), process: identity.repeat(16), role },
        ...{ version: '9.8.7', keyUses: [], stats },
      }),
    });

  stage.test('the health page shows each server of the cluster, also while ClickHouse is away', async () => {
    await report('a', 'answer', {});
    const page = await open(`/sites/${domain}/health`, { tolerated: /status of 503/ });
    const rows = async (): Promise<string[]> =>
      (await page.locator('.nodes tbody tr').allTextContents()).map(text => text.replace(/\s+/g, ' '));
    assert.match((await rows())[0]!, /^Primary.*this server/);
    assert.match((await rows())[1]!, /^Answering server 127\.0\.0\.1just now––9\.8\.7$/);

    await report('b', 'collect', { lagMs: 90_000, waitingHits: 1234, failure: 'it refuses' });
    await page.reload();
    const collector = page.locator('.nodes tr', { hasText: 'Collector' });
    await collector.waitFor();
    assert.match((await collector.textContent())!, /127\.0\.0\.1it refusesjust now1m 30s1,2349\.8\.7$/);
    assert.equal(await violationsOf(page), []);
  });
}

test.run();
