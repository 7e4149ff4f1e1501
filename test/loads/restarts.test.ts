import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { startCollector } from './restarts.ts';

/** Statuses of requests that are sent one after the other while a server restarts behind a proxy. */
const statusesWhileRestarting = async (isHeld: boolean): Promise<Set<number>> => {
  const collector = await startCollector(temporaryDir(), isHeld);
  try {
    const statuses = new Set<number>();
    let isBack = false;
    const back = collector.restart().then(() => {
      isBack = true;
    });
    while (!isBack) statuses.add((await fetch(`${collector.origin}/health`)).status);
    await back;
    assert.is((await fetch(`${collector.origin}/health`)).status, 200);
    return statuses;
  } finally {
    await collector.stop();
  }
};

test('a server restarts on a socket that systemd holds, and requests wait meanwhile', async () => {
  assert.equal([...(await statusesWhileRestarting(true))], [200]);
});

test('without such a socket a proxy has nobody to ask', async () => {
  const statuses = await statusesWhileRestarting(false);
  assert.ok(statuses.has(502), `answered ${[...statuses].join(', ')}`);
});

test.run();
