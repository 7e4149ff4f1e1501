/** A short version of `npm run loads`: a page that ends at any moment after the tracker has run is counted, and once. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { accountFor, loadPages, pagesFor, storedViews } from '../loads/page-loads.ts';
import { repeat } from '../repeat.ts';
import { openStage, until } from './helpers.ts';
import { linesOf } from './stored.ts';

const stage = await openStage();

const count = 20 * repeat;

stage?.test('pages that are closed or left at random moments are each counted once', async scene => {
  const { web, tag, browser, stores, hits, settled } = scene;
  web.show(pagesFor(count, tag('defer')));
  const chance = chanceFrom(20_261_122);
  const loads = await loadPages({ browser, origin: web.origin, count, chance, endings: ['closed', 'left'] });
  const account = () => accountFor(loads, storedViews(hits()));
  await until(() => account().lost.length === 0);
  await settled();
  const { counted, twice } = account();
  assert.ok(counted >= count / 2, `the tracker ran in ${counted}`);
  assert.equal(twice, []);
  await stores(...linesOf(hits()));
});

test('what is lost or stored twice is found', () => {
  const load = { ending: 'left', ms: 1 } as const;
  const [lost, early, once, twice] = [true, false, true, true].map((hasRun, n) => ({ ...load, path: `/${n}`, hasRun }));
  const views = new Map([
    ['/2', 1],
    ['/3', 2],
  ]);
  const account = accountFor([lost!, early!, once!, twice!], views);
  assert.equal(account, { counted: 3, lost: [lost], twice: [twice] });
});

test.run();
