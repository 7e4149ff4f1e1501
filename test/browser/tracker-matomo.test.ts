/** Pages with a tag as Matomo gives it, of which only the host is another, by what is stored. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStage, type Scene } from './helpers.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

/** Matomo's number of the scene's site. */
const numberOf = ({ site }: Scene): string => site.aliases[0]!.slice('matomo:'.length);

const tagOf = (scene: Scene, before = ''): string => `<script>
  var _paq = window._paq = window._paq || [];
  ${before}
  _paq.push(['trackPageView']);
  _paq.push(['enableLinkTracking']);
  (function() {
    var u = "${scene.api}/";
    _paq.push(['setTrackerUrl', u + 'matomo.php']);
    _paq.push(['setSiteId', '${numberOf(scene)}']);
    var d = document, g = d.createElement('script'), s = d.getElementsByTagName('script')[0];
    g.async = true; g.src = u + 'matomo.js'; s.parentNode.insertBefore(g, s);
  })();
</script>`;

/** Matomo's numbers are the server's, and tests of a file share one. */
let number = 0;
const settings = () => ({ aliases: [`matomo:${++number}`], currency: 'EUR' });

stage?.test(
  'pages, events, goals, orders, searches and links are counted',
  async scene => {
    const { web, elsewhere, open, stores, hits, settled } = scene;
    const links = `<a href="${elsewhere.origin}/there" target="_blank">out</a> <a href="/a.pdf" download>file</a>`;
    const before = `_paq.push(['setCustomDimension', 1, 'member']); _paq.push(['setDocumentTitle', 'Own']);`;
    web.show({
      '/': page(tagOf(scene, before), links),
      '/a.pdf': 'x',
      '/quiet': page(tagOf(scene, `_paq.push(['requireConsent']);`)),
    });
    const visit = await open(`${web.origin}/?utm_source=news`);
    await stores('pageview / {"dimension1":"member"}');
    assert.equal([hits()[0]!.title, hits()[0]!.utmSource], ['Own', 'news']);
    await visit.evaluate(`_paq.push(['deleteCustomDimension', 1])`);
    await visit.evaluate(`history.pushState(null, '', '/two')`);
    await settled();
    await visit.evaluate(`_paq.push(['setCustomUrl', '/three'], ['trackPageView', 'Three'])`);
    const counted = ['pageview / {"dimension1":"member"}', 'pageview /three'];
    await stores(...counted);
    await visit.evaluate(`_paq.push(['trackEvent', 'Videos', 'Play', 'Intro', 2.5])`);
    await visit.evaluate(`_paq.push(['trackSiteSearch', 'shoes', false, 3])`);
    await visit.evaluate(`_paq.push(['unknown', 1], [function () { this.trackEvent('From', 'function') }])`);
    counted.push(
      'custom Videos {"action":"Play","name":"Intro","value":2.5}',
      'custom Site search {"keyword":"shoes","results":3}',
      'custom From {"action":"function"}',
    );
    await stores(...counted);
    await visit.evaluate(`_paq.push(['trackGoal', 3, 9.99])`);
    await stores(...counted, 'revenue Goal 3 999 EUR');
    await visit.evaluate(`_paq.push(['trackEcommerceOrder', 'A-1', 49.9])`);
    counted.push('revenue Goal 3 999 EUR', 'revenue Order 4990 EUR {"order":"A-1"}');
    await stores(...counted);
    await visit.click('text=out');
    counted.push(`outbound ${elsewhere.origin}/there`);
    await stores(...counted);
    await visit.click('text=file');
    counted.push(`custom File Download {"url":"${web.origin}/a.pdf"}`);
    await stores(...counted);

    const quiet = await open(`${web.origin}/quiet`);
    await quiet.evaluate(`_paq.push(['trackEvent', 'Before', 'consent'], ['trackGoal', 1])`);
    await settled();
    await stores(...counted);
    await quiet.evaluate(`_paq.push(['setConsentGiven'], ['trackEvent', 'After', 'consent'])`);
    counted.push('pageview /quiet', 'custom Before {"action":"consent"}', 'custom Goal 1');
    await stores(...counted, 'custom After {"action":"consent"}');
  },
  settings(),
);

/** The commands that Matomo documents, and what each stores; nothing for what sets something. */
const commands: [command: string, stored?: string][] = [
  [`'trackPageView'`, 'pageview /'],
  [`'trackPageView', 'Own title'`, 'pageview /'],
  [`'trackPageView', 'Once', { dimension3: 'only here' }`, 'pageview / {"dimension3":"only here"}'],
  [`'trackEvent', 'Videos', 'Play', 'Intro', 42`, 'custom Videos {"action":"Play","name":"Intro","value":42}'],
  [
    `'trackEvent', 'Forms', 'Send', '', 0, { dimension3: 'x' }`,
    'custom Forms {"action":"Send","value":0,"dimension3":"x"}',
  ],
  [`'trackSiteSearch', 'shoes', 'men', 3`, 'custom Site search {"keyword":"shoes","category":"men","results":3}'],
  [`'trackGoal', 3, 9.99`, 'revenue Goal 3 999 EUR'],
  [`'trackGoal', 4`, 'custom Goal 4'],
  [`'trackLink', 'https://other.example/', 'link'`, 'outbound https://other.example/'],
  [`'trackLink', '/a.pdf', 'download'`, 'custom File Download {"url":"/a.pdf"}'],
  [
    `'trackContentImpression', 'Ad', 'a.png', '/to'`,
    'custom Content impression {"name":"Ad","piece":"a.png","target":"/to"}',
  ],
  [
    `'trackContentInteraction', 'click', 'Ad', 'a.png', '/to'`,
    'custom Content interaction {"name":"Ad","piece":"a.png","target":"/to","interaction":"click"}',
  ],
  [`'addEcommerceItem', 'sku', 'Shoes', 'men', 49.9, 1`],
  [`'trackEcommerceCartUpdate', 49.9`, 'custom Cart update {"value":49.9}'],
  [`'trackEcommerceOrder', 'A-1', 49.9, 40, 9.9, 0, false`, 'revenue Order 4990 EUR {"order":"A-1"}'],
  [`'setUserId', 'user-42'`, 'identify user-42'],
  [`'trackEcommerceOrder', 'A-1', 49.9`],
  // What is set holds from here on, for every kind.
  [`'setCustomDimension', 1, 'member'`],
  [`'setCustomVariable', 1, 'Kind', 'guest', 'visit'`],
  [`'setCustomUrl', '/app/two'`],
  [`'trackPageView'`, 'pageview /app/two {"dimension1":"member","Kind":"guest"}'],
  [`'trackEvent', 'A', 'b'`, 'custom A {"action":"b","dimension1":"member","Kind":"guest"}'],
  [`'trackGoal', 5, 1`, 'revenue Goal 5 100 EUR {"dimension1":"member","Kind":"guest"}'],
  [`'trackEcommerceOrder', 'A-2', 2`, 'revenue Order 200 EUR {"order":"A-2","dimension1":"member","Kind":"guest"}'],
  [
    `'trackLink', 'https://other.example/', 'link'`,
    'outbound https://other.example/ {"dimension1":"member","Kind":"guest"}',
  ],
  [`'deleteCustomDimension', 1`],
  [`'deleteCustomVariable', 1, 'visit'`],
  [`'trackPageView'`, 'pageview /app/two'],
  ...[
    'enableHeartBeatTimer',
    'disableCookies',
    'setVisitorCookieTimeout',
    'trackVisibleContentImpressions',
    'ping',
  ].map((name): [string] => [`'${name}', 15`]),
  [`'optUserOut'`],
  [`'trackPageView'`],
  [`'forgetUserOptOut'`],
];

stage?.test(
  'each command stores what it says',
  async scene => {
    const { web, open, stores, settled } = scene;
    web.show({ '/': page(tagOf(scene)) });
    const visit = await open(`${web.origin}/`);
    const lines = ['pageview /'];
    await stores(...lines);
    for (const [command, line] of commands) {
      await visit.evaluate(`_paq.push([${command}])`);
      if (line === undefined) continue;
      lines.push(line);
      await stores(...lines);
    }
    // What was called after the opt-out came with the end of it.
    await stores(...lines, 'pageview /app/two');
    await settled();
  },
  settings(),
);

stage?.test(
  'the queue keeps its order, and what Matomo runs first runs first',
  async scene => {
    const { web, api, open, stores, hits } = scene;
    const queue = `<script>
      var _paq = window._paq = [];
      _paq.push(['setCustomUrl', '/a'], ['trackPageView', 'A'], ['setReferrerUrl', 'https://news.example/'],
        ['setCustomUrl', '/b'], ['setCustomDimension', 1, 'x'], ['trackPageView', 'B'],
        ['trackPageView', 'Then', {}, () => { window.called = true }],
        ['setTrackerUrl', '${api}/matomo.php'], ['setSiteId', ${numberOf(scene)}]);</script><script src="${api}/matomo.js"></script>`;
    web.show({ '/': page(queue) });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /a', 'pageview /b {"dimension1":"x"}', 'pageview /b {"dimension1":"x"}');
    assert.equal(
      hits().map(hit => hit.title),
      ['A', 'B', 'Then'],
    );
    assert.ok(await visit.evaluate('called'));
  },
  settings(),
);

stage?.test(
  'Matomo’s names of a campaign are read, and are no part of the query',
  async scene => {
    const { web, open, stores } = scene;
    web.show({ '/': page(tagOf(scene)) });
    await open(
      `${web.origin}/?mtm_campaign=spring&mtm_kwd=k&color=red&mtm_source=s&mtm_medium=m&mtm_cid=1&mtm_group=g`,
    );
    const [first] = await stores('pageview /');
    const { query, utmCampaign, utmSource } = first!;
    assert.equal([query, utmCampaign, utmSource], ['color=red', 'spring', 's']);
  },
  settings(),
);

stage?.test(
  'a campaign may stand in the hash',
  async scene => {
    const { web, open, stores, hits } = scene;
    web.show({ '/': page(tagOf(scene)) });
    await open(`${web.origin}/#pk_campaign=autumn`);
    await stores('pageview /');
    assert.equal([hits()[0]!.query, hits()[0]!.utmCampaign], [null, 'autumn']);
  },
  settings(),
);

stage?.test(
  'consent that was remembered holds on the next page, and an opt-out too',
  async scene => {
    const { web, open, stores, settled } = scene;
    const asking = page(tagOf(scene, `_paq.push(['requireConsent']);`));
    web.show({ '/': asking, '/two': asking, '/three': asking, '/four': page(tagOf(scene)) });
    const visit = await open(`${web.origin}/`);
    await settled();
    await stores();
    await visit.evaluate(`_paq.push(['rememberConsentGiven'])`);
    await stores('pageview /');
    await visit.goto(`${web.origin}/two`);
    const counted = ['pageview /', 'duration', 'pageview /two'];
    await stores(...counted);
    assert.is(await visit.evaluate('Matomo.getAsyncTracker().hasRememberedConsent()'), true);
    await visit.evaluate(`_paq.push(['optUserOut'])`);
    await visit.goto(`${web.origin}/three`);
    await visit.goto(`${web.origin}/four`);
    await settled();
    await stores(...counted);
  },
  settings(),
);

stage?.test(
  'links of one’s own hosts are none, and classes say what a link is',
  async scene => {
    const { web, elsewhere, open, stores, settled } = scene;
    const stay = 'onclick="event.preventDefault()"';
    const links = `<a href="https://shop.example.org/" ${stay}>own</a> <a href="${elsewhere.origin}/x" class="matomo_ignore" ${stay}>ignored</a>
      <a href="/file" class="matomo_download" ${stay}>file</a> <a href="/here" class="big piwik_link" ${stay}>link</a>
      <a href="/a.odd" ${stay}>odd</a>`;
    const before = `_paq.push(['setDomains', ['*.example.org']], ['addDownloadExtensions', 'odd|rare'], ['setCustomDimension', 2, 'x']);`;
    web.show({ '/': page(tagOf(scene, before), links) });
    const visit = await open(`${web.origin}/`);
    const lines = ['pageview / {"dimension2":"x"}'];
    await stores(...lines);
    await visit.click('text=own');
    await visit.click('text=ignored');
    await settled();
    await stores(...lines);
    for (const [text, line] of [
      ['file', `custom File Download {"url":"${web.origin}/file","dimension2":"x"}`],
      ['link', `outbound ${web.origin}/here {"dimension2":"x"}`],
      ['odd', `custom File Download {"url":"${web.origin}/a.odd","dimension2":"x"}`],
    ] as const) {
      await visit.click(`text=${text}`);
      lines.push(line);
      await stores(...lines);
    }
  },
  settings(),
);

stage?.test(
  'trackers of Matomo and Piwik answer, of several sites too',
  async scene => {
    const { web, api, open, stores } = scene;
    web.show({ '/': page(`<script src="${api}/matomo.js"></script>`) });
    const visit = await open(`${web.origin}/`);
    const made = await visit.evaluate(`(() => {
      window.mine = Piwik.getTracker('${api}/matomo.php', ${numberOf(scene)});
      mine.setDocumentTitle('Made');
      mine.trackPageView();
      mine.setCookieDomain('*.example.org');
      return [Matomo === Piwik, mine.getSiteId(), mine.getTrackerUrl(), mine.getVisitorId() === undefined];
    })()`);
    assert.equal(made, [true, numberOf(scene), `${api}/matomo.php`, true]);
    await stores('pageview /');
    await visit.evaluate(
      `(async () => { await Matomo.addTracker('${api}/matomo.php', ${numberOf(scene)}); _paq.push(['trackEvent', 'By queue']) })()`,
    );
    await stores('pageview /', 'custom By queue');
    await visit.evaluate(`Matomo.addTracker('https://other.example/matomo.php', 9).trackPageView()`);
    await visit.evaluate(`Matomo.getAsyncTracker().trackEvent('Last')`);
    await stores('pageview /', 'custom By queue', 'custom Last');
  },
  settings(),
);

test.run();
