/** Pages with a tag as Matomo gives it, of which only the host is another, by what is stored. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStage, type Scene } from './helpers.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

const tagOf = ({ api }: Scene, before = ''): string => `<script>
  var _paq = window._paq = window._paq || [];
  ${before}
  _paq.push(['trackPageView']);
  _paq.push(['enableLinkTracking']);
  (function() {
    var u = "${api}/";
    _paq.push(['setTrackerUrl', u + 'matomo.php']);
    _paq.push(['setSiteId', '7']);
    var d = document, g = d.createElement('script'), s = d.getElementsByTagName('script')[0];
    g.async = true; g.src = u + 'matomo.js'; s.parentNode.insertBefore(g, s);
  })();
</script>`;

/** Matomo's numbers are the server's, and tests of a file share one. */
const settings = { aliases: ['matomo:7'], currency: 'EUR' };

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
    await quiet.evaluate(`_paq.push(['setConsentGiven'], ['trackEvent', 'After', 'consent'])`);
    await stores(...counted, 'custom After {"action":"consent"}');
  },
  settings,
);

test.run();
