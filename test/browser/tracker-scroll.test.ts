/** How far down a page was seen: `sc` of the hits that tell its time. One test at a time, since tabs hide each other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WireHit } from '../../src/model/hit.ts';
import { openStage, type Scene, until } from './helpers.ts';

const stage = await openStage(1);

/** As high as so many windows. */
const windows = (count: number): string => `<style>body { margin: 0; height: ${100 * count}vh }</style>`;

interface Depths {
  /** The tag of a collector that notes what it gets. */
  tag: string;
  /** Type and `sc` of every hit that arrived, in the order of their arrival. */
  read(): string[];
}

const openDepths = async ({ detour, tag }: Scene): Promise<Depths> => {
  const { origin, bodies } = await detour(() => undefined);
  const hits = (): WireHit[] =>
    bodies.filter(Boolean).flatMap(body => {
      const sent = JSON.parse(body) as WireHit & { hits?: WireHit[] };
      return sent.hits ?? sent;
    });
  return {
    tag: tag(`data-api="${origin}"`),
    read: () =>
      hits()
        .filter(({ t }) => t !== 'vitals')
        .map(({ t, sc }) => (sc === undefined ? t! : `${t} ${sc}`)),
  };
};

/** Scrolls down by so many windows. */
const scrollTo = (y: number): string =>
  `new Promise(done => { addEventListener('scroll', () => setTimeout(done), { once: true }); scrollTo(0, ${y} * innerHeight) })`;

for (const [what, count, steps, depth] of [
  ['that fits is seen whole', 0.5, [], 100],
  ['that nobody scrolled is seen as far as the window reaches', 4, [], 25],
  ['counts to the lowest line that was seen', 4, [scrollTo(1), scrollTo(0)], 50],
  ['that was scrolled to its end is seen whole', 4, [scrollTo(9)], 100],
  ['that grows is as high as it is in the end', 4, [scrollTo(9), `document.body.style.height = '800vh'`], 50],
  ['that shrinks is seen whole', 4, [scrollTo(1), `document.body.style.height = '150vh'`], 100],
] as const)
  stage?.test(`a page ${what}`, async scene => {
    const { web, openTab, stores } = scene;
    const { tag, read } = await openDepths(scene);
    web.show({ '/': `<!doctype html><title>Home</title>${tag}${windows(count)}`, '/blank': '' });
    const visit = await openTab(`${web.origin}/`);
    await stores('pageview /');
    for (const step of steps) await visit.evaluate(step);
    await visit.goto(`${web.origin}/blank`);
    await stores('pageview /', 'duration');
    assert.equal(read(), ['pageview', `duration ${depth}`]);
  });

stage?.test('each page of an application begins anew, and carries what was seen of the one before', async scene => {
  const { web, openTab, stores } = scene;
  const { tag, read } = await openDepths(scene);
  web.show({ '/': `<!doctype html><title>Home</title>${tag}${windows(4)}`, '/blank': '' });
  const visit = await openTab(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate(scrollTo(2));
  // As routers do it: the address first, then the page, from its top.
  await visit.evaluate(
    `history.pushState(null, '', '/next'); document.title = 'Next'; document.body.style.height = '1000vh'; scrollTo(0, 0)`,
  );
  await stores('pageview /', 'pageview /next');
  await sleep(100);
  await visit.goto(`${web.origin}/blank`);
  await stores('pageview /', 'pageview /next', 'duration');
  assert.equal(read(), ['pageview', 'pageview 75', 'duration 10']);
});

stage?.test('a page says again how far it was seen each time it is hidden', async scene => {
  const { web, openTab, stores } = scene;
  const { tag, read } = await openDepths(scene);
  web.show({ '/': `<!doctype html><title>Home</title>${tag}${windows(4)}`, '/blank': '' });
  const visit = await openTab(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate(scrollTo(1));
  const other = await openTab(`${web.origin}/blank`);
  await stores('pageview /', 'duration');
  await visit.bringToFront();
  await visit.waitForFunction('!document.hidden');
  await visit.evaluate(scrollTo(2));
  await other.bringToFront();
  await stores('pageview /', 'duration', 'duration');
  assert.equal(read(), ['pageview', 'duration 50', 'duration 75']);
});

stage?.test('a page in the background that nobody saw says nothing', async scene => {
  const { web, openTab, stores } = scene;
  const { tag, read } = await openDepths(scene);
  web.show({
    '/': `<!doctype html><title>Home</title>${tag}${windows(4)}`,
    '/opener': '<a href="/" target="_blank">open</a>',
  });
  const opener = await openTab(`${web.origin}/opener`);
  const [visit] = await Promise.all([
    opener.context().waitForEvent('page'),
    opener.click('a', { modifiers: ['ControlOrMeta'] }),
  ]);
  await visit.waitForLoadState();
  await visit.waitForFunction('document.hidden');
  await stores('pageview /');
  await visit.evaluate('scrollTo(0, innerHeight)');
  await visit.evaluate(`history.pushState(null, '', '/next')`);
  await stores('pageview /', 'pageview /next');
  await visit.close({ runBeforeUnload: true });
  await until(() => visit.isClosed());
  assert.equal(read(), ['pageview', 'pageview']);
});

stage?.test('scrolling does not ask for the height of the page', async scene => {
  const { web, openTab, stores } = scene;
  const { tag, read } = await openDepths(scene);
  const count = `<script>
    let asked = 0;
    const { get } = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollHeight');
    Object.defineProperty(Element.prototype, 'scrollHeight', { get() { asked++; return get.call(this) } });
  </script>`;
  web.show({ '/': `<!doctype html><title>Home</title>${count}${tag}${windows(4)}`, '/blank': '' });
  const visit = await openTab(`${web.origin}/`);
  await stores('pageview /');
  for (let y = 1; y <= 14; y++) await visit.evaluate(scrollTo(y / 10));
  assert.is(await visit.evaluate('asked'), 0);
  await openTab(`${web.origin}/blank`);
  await stores('pageview /', 'duration');
  assert.is(await visit.evaluate('asked'), 1);
  assert.equal(read(), ['pageview', 'duration 60']);
});

test.run();
