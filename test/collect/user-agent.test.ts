import UserAgent from 'user-agents';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientReader, crawlerName, userAgentCharsMax } from '../../src/collect/user-agent.ts';
import { chrome, startCollector } from './start-collector.ts';
import { storedCrawls, storedVisits } from './stored.ts';

test('browsers, systems and devices are recognized', () => {
  const read = clientReader();
  const rows: [userAgent: string, browser: string | null, os: string | null, device: string][] = [
    [chrome, 'Chrome', 'Linux', 'desktop'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      'Mobile Safari',
      'iOS',
      'mobile',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
      'Mobile Safari',
      'iOS',
      'tablet',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome',
      'Android',
      'mobile',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome',
      'Android',
      'tablet',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Firefox',
      'Windows',
      'desktop',
    ],
    [
      'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/538.1 (KHTML, like Gecko) Version/6.0 TV Safari/538.1',
      'Safari',
      'Tizen',
      'unknown',
    ],
    ['Mozilla/5.0 (PlayStation 5 3.03) AppleWebKit/605.1.15 (KHTML, like Gecko)', 'WebKit', 'PlayStation', 'unknown'],
    ['Something', null, null, 'unknown'],
    ['', null, null, 'unknown'],
  ];
  for (const [userAgent, browser, os, device] of rows) {
    const client = read(userAgent);
    assert.equal([client.browser, client.os, client.device], [browser, os, device], userAgent);
  }
});

test('browsers that people use are no crawlers, and have the right device', () => {
  const read = clientReader();
  for (const agent of UserAgent.top(10_000) as { userAgent: string; deviceCategory?: string }[]) {
    const client = read(agent.userAgent);
    assert.is(client.crawler, null, agent.userAgent);
    assert.is(client.device, agent.deviceCategory, agent.userAgent);
  }
});

test('crawlers have readable names', () => {
  const khtml = 'AppleWebKit/537.36 (KHTML, like Gecko';
  const rows: [name: string | null, userAgent: string][] = [
    ['Googlebot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
    [
      'Googlebot',
      `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${khtml}) Chrome/141.0.1.2 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
    ],
    [
      'bingbot',
      `Mozilla/5.0 ${khtml}; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36`,
    ],
    ['GPTBot', `Mozilla/5.0 ${khtml}; compatible; GPTBot/1.2; +https://openai.com/gptbot)`],
    ['ChatGPT-User', `Mozilla/5.0 ${khtml}; compatible; ChatGPT-User/1.0; +https://openai.com/bot)`],
    ['ClaudeBot', `Mozilla/5.0 ${khtml}; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)`],
    [
      'Applebot',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) ${khtml}) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)`,
    ],
    [
      'Bytespider',
      'Mozilla/5.0 (Linux; Android 5.0) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)',
    ],
    ['facebookexternalhit', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
    ['Slackbot-LinkExpanding', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
    ['LinkedInBot', 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)'],
    ['AdsBot-Google', 'AdsBot-Google (+http://www.google.com/adsbot.html)'],
    ['Yahoo! Slurp', 'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)'],
    ['Screaming Frog SEO Spider', 'Screaming Frog SEO Spider/19.0'],
    ['UptimeRobot', 'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)'],
    [
      'Chrome-Lighthouse',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${khtml}) Chrome/109.0.0.0 Safari/537.36 Chrome-Lighthouse`,
    ],
    ['WhatsApp', 'WhatsApp/2.23.20.0'],
    ['curl', 'curl/8.4.0'],
    ['python-requests', 'python-requests/2.31.0'],
    ['Go-http-client', 'Go-http-client/1.1'],
    ['Scrapy', 'Scrapy/2.11.0 (+https://scrapy.org)'],
    ['Unnamed crawler', 'Mozilla/5.0 (compatible)'],
    ['Unnamed crawler', 'http://example.com/'],
    [null, chrome],
    [null, ''],
  ];
  for (const [name, userAgent] of rows) assert.is(crawlerName(userAgent), name, userAgent);
});

test('browser, system and device are read from the first 256 characters', () => {
  const read = (before: number) => {
    const { browser, os, device } = clientReader()(`${'x'.repeat(before - 1)} ${chrome}`);
    return [browser, os, device];
  };
  assert.equal(read(256 - chrome.length), ['Chrome', 'Linux', 'desktop']);
  assert.equal(read(256), [null, null, 'unknown']);
  assert.is(crawlerName(`${chrome} ${'x'.repeat(300)} Googlebot/2.1`), 'Googlebot');
});

test('user agents that are made to be slow are taken like others', async () => {
  const collector = await startCollector();
  const { post, site } = collector;
  const crafted = ['android a.', 'a-', 'trident android 1; ', 'x1', 'a@', 'build/', 'opera ', 'bot'];
  const userAgents = crafted.map(part => part.repeat(500).slice(0, 450));
  const reports = Array.from({ length: 58 }, (_, i) => ({
    ...{ s: site.publicKey, u: 'https://site1.example/' },
    ua: userAgents[i % userAgents.length]!.replace(/..$/, String(10 + i)),
  }));
  const { accepted, ignored } = JSON.parse((await post(reports, { path: '/crawl' })).body);
  assert.is(accepted + ignored, 58);
  for (const userAgent of [...userAgents, `${userAgents[1]}1`, `${userAgents[1]!.slice(0, 300)}2`]) {
    assert.is((await post({ s: site.publicKey, u: 'https://site1.example/' }, { userAgent })).status, 202);
  }
  await collector.stop();
  const visitors = storedVisits(collector.db).map(({ visitor }) => visitor);
  assert.is(new Set(visitors).size, visitors.length);
  await collector.close();
});

test('a headless browser is automation, whatever its page reports', async () => {
  const collector = await startCollector();
  const userAgent = chrome.replace('Chrome/', 'HeadlessChrome/');
  const hit = { s: collector.site.publicKey, u: 'https://site1.example/a', x: 1, b: 0 };
  assert.is((await collector.post(hit, { userAgent })).outcome, 'ignored; reason=automation');
  assert.is(
    (await collector.post({ ...hit, ua: userAgent, st: 200 }, { path: '/crawl' })).body,
    '{"accepted":1,"ignored":0}',
  );
  await collector.stop();
  assert.equal(
    storedCrawls(collector.db).map(({ name, status }) => [name, status]),
    [
      ['HeadlessChrome', 0],
      ['HeadlessChrome', 200],
    ],
  );
  await collector.close();
});

test('a hit may have no user agent, or a very long one', async () => {
  const collector = await startCollector();
  const hit = { s: collector.site.publicKey, u: 'https://site1.example/' };
  assert.is((await collector.post(hit, { userAgent: '' })).outcome, 'recorded');
  const long = `${chrome} ${'x'.repeat(10_000)}`;
  assert.is((await collector.post(hit, { userAgent: long })).outcome, 'recorded');
  assert.is((await collector.post(hit, { userAgent: long.slice(0, userAgentCharsMax) })).outcome, 'recorded');
  assert.equal(
    storedVisits(collector.db).map(({ device }) => device),
    ['unknown', 'desktop'],
    'cut, it is the same visitor',
  );
  await collector.close();
});

test.run();
