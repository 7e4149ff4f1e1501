/** The dearest hits: what a stranger may write into one, and what a site's owner may have set. */
import { excludedIpsMax, excludedPathsMax, globCharsMax } from '../../src/model/limits.ts';
import type { Site } from '../../src/model/site.ts';
import { excludedIpsOf, excludedPathsOf } from '../../src/model/values.ts';

const filled = (length: number, piece: string): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
/** Where a hit is that has nothing to hide. */
export const plainPage = 'https://site1.example/';

/** Texts of a stranger, of about a length. */
export const dearTexts: Readonly<Record<string, (length: number) => { body?: object; userAgent?: string }>> = {
  path: n => ({ body: { u: plainPage + filled(n, 'a') } }),
  'path of segments': n => ({ body: { u: plainPage + filled(n, 'a/') } }),
  'path that grows when it is escaped': n => ({ body: { u: plainPage + filled(n, '€') } }),
  'path of broken escapes': n => ({ body: { u: plainPage + filled(n, '%E2%82/%') } }),
  'hash that is a route': n => ({ body: { u: `${plainPage}#/${filled(n, 'a/')}` } }),
  'query of many parameters': n => ({ body: { u: `${plainPage}?${filled(n, 'a=1&')}` } }),
  'query of tracking parameters': n => ({ body: { u: `${plainPage}?${filled(n, 'utm_source=+%&')}` } }),
  host: n => ({ body: { u: `https://${filled(n, 'a.')}a/` } }),
  referrer: n => ({ body: { u: plainPage, r: `https://${filled(n, 'www.')}` } }),
  title: n => ({ body: { u: plainPage, ti: filled(n, ' \n') } }),
  event: n => ({ body: { u: plainPage, t: 'custom', n: filled(n, 'a') } }),
  language: n => ({ body: { u: plainPage, l: filled(n, 'de-') } }),
  'one long property': n => ({ body: { u: plainPage, t: 'custom', n: 'e', p: { [filled(n, 'k')]: filled(n, 'v') } } }),
  'many properties': n => ({
    body: { u: plainPage, t: 'custom', n: 'e', p: Object.fromEntries(many(n >> 3, i => [`k${i}`, i])) },
  }),
  'properties with one beginning': n => ({
    body: { u: plainPage, t: 'custom', n: 'e', p: Object.fromEntries(many(n >> 8, i => [filled(200, 'k') + i, i])) },
  }),
  'deep properties': n => ({
    body: { u: plainPage, t: 'custom', n: 'e', p: { a: JSON.parse('['.repeat(n >> 1) + ']'.repeat(n >> 1)) } },
  }),
  traits: n => ({ body: { u: plainPage, t: 'identify', p: Object.fromEntries(many(n >> 4, i => [`k${i}`, 'v'])) } }),
  browser: n => ({ body: { u: plainPage, i: filled(n, 'a') } }),
  site: n => ({ body: { s: filled(n, 'a'), u: plainPage } }),
  'user agent': n => ({ body: { u: plainPage }, userAgent: `Mozilla/5.0 (${filled(n, 'Linux; ')}` }),
  'user agent of versions': n => ({ body: { u: plainPage }, userAgent: filled(n, 'a/1 ') }),
};

/** What is stored may be older than the bounds, and longer. */
export const dearSettings: Readonly<Record<string, Partial<Site>>> = {
  'no exclusions': {},
  'globs of stars and letters': {
    excludedPaths: excludedPathsOf(many(excludedPathsMax, i => `**a*a*a*a*a*a*a*a*${filled(170, 'a')}${i % 10}${i}`)),
  },
  'globs of segments': {
    excludedPaths: excludedPathsOf(many(excludedPathsMax, i => `**/a*/a*/a*/a*/${filled(150, 'a/')}${i}`)),
  },
  'long globs without a star': {
    excludedPaths: excludedPathsOf(many(excludedPathsMax, i => filled(globCharsMax - 3, '/a') + i)),
  },
  'globs from before they were bounded': { excludedPaths: many(3000, i => `${filled(300, '/**a*a')}${i}`) },
  'a thousand ranges': { excludedIps: excludedIpsOf(many(excludedIpsMax, i => `2001:db8:${i.toString(16)}::/48`)) },
};
