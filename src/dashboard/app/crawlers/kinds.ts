/**
 * The best-known crawlers: who runs them and what for. Names are as their operators publish them;
 * the page shows other crawlers without a kind. `automation` are the names that
 * src/collect/automation.ts gives.
 */

export const crawlerKinds = {
  training: { isAi: true },
  answers: { isAi: true },
  assistant: { isAi: true },
  search: { isAi: false },
  seo: { isAi: false },
  preview: { isAi: false },
  monitor: { isAi: false },
  tool: { isAi: false },
  automation: { isAi: false },
} as const;

export type CrawlerKind = keyof typeof crawlerKinds;

export interface KnownCrawler {
  kind: CrawlerKind;
  /** Null if nobody in particular runs it. */
  operator: string | null;
}

/** By kind, `name: operator`. */
const known: Record<CrawlerKind, Readonly<Record<string, string | null>>> = {
  training: {
    GPTBot: 'OpenAI',
    ClaudeBot: 'Anthropic',
    'anthropic-ai': 'Anthropic',
    CCBot: 'Common Crawl',
    Bytespider: 'ByteDance',
    'meta-externalagent': 'Meta',
    FacebookBot: 'Meta',
    Amazonbot: 'Amazon',
    Diffbot: 'Diffbot',
    AI2Bot: 'Allen Institute for AI',
    'cohere-training-data-crawler': 'Cohere',
    PanguBot: 'Huawei',
    'Google-CloudVertexBot': 'Google',
  },
  answers: {
    'OAI-SearchBot': 'OpenAI',
    'Claude-SearchBot': 'Anthropic',
    PerplexityBot: 'Perplexity',
    YouBot: 'You.com',
  },
  assistant: {
    'ChatGPT-User': 'OpenAI',
    'Claude-User': 'Anthropic',
    'Perplexity-User': 'Perplexity',
    'MistralAI-User': 'Mistral',
    DuckAssistBot: 'DuckDuckGo',
    'meta-externalfetcher': 'Meta',
    'cohere-ai': 'Cohere',
    'Google-NotebookLM': 'Google',
  },
  search: {
    Googlebot: 'Google',
    bingbot: 'Microsoft',
    DuckDuckBot: 'DuckDuckGo',
    YandexBot: 'Yandex',
    Baiduspider: 'Baidu',
    Applebot: 'Apple',
    PetalBot: 'Huawei',
    SeznamBot: 'Seznam',
    Qwantbot: 'Qwant',
    Sogou: 'Sogou',
    Slurp: 'Yahoo',
  },
  seo: {
    AhrefsBot: 'Ahrefs',
    SemrushBot: 'Semrush',
    MJ12bot: 'Majestic',
    DotBot: 'Moz',
    DataForSeoBot: 'DataForSEO',
    BLEXBot: 'WebMeUp',
    serpstatbot: 'Serpstat',
    'Screaming Frog': 'Screaming Frog',
  },
  preview: {
    facebookexternalhit: 'Meta',
    Twitterbot: 'X',
    LinkedInBot: 'LinkedIn',
    Slackbot: 'Slack',
    Discordbot: 'Discord',
    TelegramBot: 'Telegram',
    WhatsApp: 'Meta',
    Pinterestbot: 'Pinterest',
    SkypeUriPreview: 'Microsoft',
  },
  monitor: {
    UptimeRobot: 'UptimeRobot',
    Pingdom: 'Pingdom',
    StatusCake: 'StatusCake',
    Site24x7: 'Zoho',
    'Chrome-Lighthouse': 'Google',
    GTmetrix: 'GTmetrix',
  },
  tool: {
    curl: null,
    Wget: null,
    'python-requests': null,
    'Go-http-client': null,
    axios: null,
    'node-fetch': null,
    Scrapy: null,
  },
  automation: {
    WebDriver: null,
    'Browser driver': null,
    'Headless browser': null,
    'Automated browser': null,
    HeadlessChrome: null,
    PhantomJS: null,
  },
};

/** Longer names first, so that `Applebot-Extended` is never taken for a shorter one. */
const rows = (Object.keys(known) as CrawlerKind[])
  .flatMap(kind =>
    Object.entries(known[kind]).map(([name, operator]) => ({ start: name.toLowerCase(), crawler: { kind, operator } })),
  )
  .sort((a, b) => b.start.length - a.start.length);

/** A crawler by its name, in any version and letter case. */
export const knownCrawler = (name: string): KnownCrawler | undefined =>
  rows.find(({ start }) => name.toLowerCase().startsWith(start))?.crawler;
