/** The headers that all pages have. */

/** No inline script or style, and no other host's. Only some pages of hosts may frame it. */
const contentSecurityPolicy = (embedHosts: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    `frame-ancestors ${embedHosts.length === 0 ? "'none'" : embedHosts.join(' ')}`,
    "base-uri 'none'",
  ].join('; ');

export const pageHeaders = {
  'content-security-policy': contentSecurityPolicy([]),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
};

/** The header of a public page that pages of some hosts may show in a frame. */
export const embeddedHeaders = (embedHosts: readonly string[]): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(embedHosts),
});

/**
 * The header of a mail that a page shows in a frame: a mail has its styles in it, and nothing in it
 * may run, load, send or lead anywhere.
 */
export const mailFrameHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "base-uri 'none'",
    'sandbox',
  ].join('; '),
};
