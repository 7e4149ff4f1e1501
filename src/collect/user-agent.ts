/**
 * What a user agent says about a client: browser, system, kind of device, and whether it names a
 * crawler.
 */
import { isbotMatch } from 'isbot';
import { lru } from 'tiny-lru';
import UAParser from 'ua-parser-js';

export interface Client {
  /** Null when the user agent does not tell, or names a crawler. */
  browser: string | null;
  os: string | null;
  /** `desktop`, `mobile`, `tablet` or `unknown` (docs/collecting.md, "Visits"). */
  device: string;
  /** Name of the crawler, null for everybody else. */
  crawler: string | null;
  /** A browser without a screen, driven by a program. It is on the crawler list too. */
  headless: boolean;
}

/** Only this much of a user agent is read. The longest real ones have some 450 characters. */
export const userAgentCharsMax = 500;
/**
 * Only this much is parsed for browser, system and device, which stand in the first 200 characters:
 * a text that somebody made up to be slow takes time that grows with the square of its length, up
 * to 150 µs like this. The list of crawlers reads all of it, in 10 µs, and takes a text that is cut
 * off in its middle for one.
 */
const parsedCharsMax = 256;

/**
 * User agents whose client is remembered, in about 10 MB. Reading one takes 30 µs, and a busy site
 * sees some thousands a day.
 */
const rememberedMax = 10_000;

export const clientReader = (): ((userAgent: string) => Client) => {
  const remembered = lru<Client>(rememberedMax);
  return userAgent => {
    let client = remembered.get(userAgent);
    if (client === undefined) {
      client = readClient(userAgent);
      remembered.set(userAgent, client);
    }
    return client;
  };
};

/** Nobody asks which browser a crawler looks like, and to read that takes most of the time. */
const readClient = (userAgent: string): Client => {
  const crawler = crawlerName(userAgent);
  const headless = userAgent.includes('HeadlessChrome');
  if (crawler !== null) return { browser: null, os: null, device: 'unknown', crawler, headless };
  const parser = new UAParser(userAgent.slice(0, parsedCharsMax));
  const os = parser.getOS().name ?? null;
  const device = deviceOf(parser.getDevice().type, os);
  return { browser: parser.getBrowser().name ?? null, os, device, crawler, headless };
};

/**
 * The parser names a type for everything but desktops. What it does not know is not called a
 * desktop either.
 */
const deviceOf = (type: string | undefined, os: string | null): string => {
  if (type === 'mobile' || type === 'tablet') return type;
  return type === undefined && os !== null ? 'desktop' : 'unknown';
};

/**
 * Addresses in a user agent say who runs it, and would pass for product names. The second kind is
 * looked for only where a word begins, so that a long one is not read again from each of its
 * letters.
 */
const addresses = /\+?(?:https?:\/\/|www\.)[^\s;,)]*|(?<![\w.-])[\w.-]+@[\w.-]+/gi;
const words = /[a-z][\w.!]*(?:-\w+)*/gi;
const speaking = /bot|crawl|spider|slurp/i;
/** Such a word is part of a name and needs those before it. */
const surname = /^(?:(?:ro)?bot|crawler|spider|slurp)$/i;
/** Words of browsers, which crawlers add to be served like one. */
const disguise = new RegExp(
  `^(?:${[
    'mozilla|applewebkit|khtml|like|gecko|compatible|version|mobile|safari|chrome|firefox|opera|edge?|edga|msie|trident',
    'windows|nt|win64|wow64|x\\d+(?:_\\d*)?|x|macintosh|intel|mac|os|iphone|cpu|linux|android|build|rv|u|v?\\d.*|the|web',
  ].join('|')})$`,
  'i',
);

/**
 * The readable name of a crawler, such as Googlebot; null when the user agent names none. The list
 * tells that it is a crawler but not its name. That is the first word that says it is one, else the
 * word that gave it away, else the first that no browser uses.
 */
export const crawlerName = (userAgent: string): string | null => {
  const match = isbotMatch(userAgent);
  if (match === null) return null;
  const text = userAgent.replace(addresses, ' ');
  const found = (text.match(words) ?? []).filter(word => !disguise.test(word));
  const at = found.findIndex(word => speaking.test(word));
  if (at >= 0) return surname.test(found[at]!) ? found.slice(0, at + 1).join(' ') : found[at]!;
  const telling = match.trim().toLowerCase();
  return found.find(word => word.toLowerCase().includes(telling)) ?? found[0] ?? 'Unnamed crawler';
};
