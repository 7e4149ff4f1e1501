/** Crawlers that a demo site's server reports, and browsers that programs drive. */
import { dayMs } from '../../model/time.ts';
import type { Profile } from './profile.ts';
import type { Chance, Weighted } from './random.ts';

export interface DemoReport {
  /** UTC milliseconds. */
  at: number;
  /** One report of POST /crawl without its `s`. */
  report: { u: string; ua: string; st: number; m: string };
}

const compatible = (rest: string): string => `Mozilla/5.0 (compatible; ${rest})`;
const crawlers: Weighted<string> = [
  [compatible('Googlebot/2.1; +http://www.google.com/bot.html'), 30],
  [compatible('bingbot/2.0; +http://www.bing.com/bingbot.htm'), 14],
  ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)', 14],
  ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)', 12],
  [compatible('AhrefsBot/7.0; +http://ahrefs.com/robot/'), 12],
  [compatible('SemrushBot/7~bl; +http://www.semrush.com/bot.html'), 9],
  [compatible('YandexBot/3.0; +http://yandex.com/bots'), 4],
  ['DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)', 3],
  ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 4],
  ['Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15 (Applebot/0.1)', 4],
  [compatible('PerplexityBot/1.0; +https://perplexity.ai/perplexitybot'), 3],
];

const statuses: Weighted<number> = [
  [200, 74],
  [304, 14],
  [301, 5],
  [404, 6],
  [500, 1],
];
const missing = ['/wp-login.php', '/.env', '/blog/old-post', '/sitemap_index.xml', '/apple-touch-icon.png'];

/** Some reports spread over a day, in the order of time. */
export const crawlReports = (chance: Chance, { domain, kinds }: Profile, day: number, count: number): DemoReport[] => {
  const pages = Object.values(kinds).flatMap(({ host = '', pages }) =>
    pages.map(([[path]]) => `https://${host}${domain}${path.replace('{word}', 'a')}`),
  );
  return Array.from({ length: count }, () => {
    const st = chance.weighted(statuses);
    const u = st === 404 ? `https://${domain}${chance.one(missing)}` : chance.one(pages);
    return { at: day * dayMs + chance.below(dayMs), report: { u, ua: chance.weighted(crawlers), st, m: 'GET' } };
  }).sort((a, b) => a.at - b.at);
};
