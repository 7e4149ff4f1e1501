/** The first-party id of cookie mode. In hash mode none is made, and one that is there is removed. */

const name = '_daybook';
const yearS = 365 * 24 * 3600;

export const visitorId = (): string | undefined => document.cookie.match(`(?:^|; )${name}=([^;]+)`)?.[1];

/**
 * Sets or removes the cookie on the widest domain that the browser allows, so that a site's subdomains share it. A public
 * suffix such as `com` is refused, which shows only in reading the cookie back.
 */
const write = (value: string, seconds: number): void => {
  const labels = location.hostname.split('.');
  for (let first = labels.length; first-- && !visitorId() === !!value; ) {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is younger than the browsers we support.
    document.cookie = `${name}=${value};path=/;max-age=${seconds};samesite=lax;domain=${labels.slice(first).join('.')}`;
  }
};

/** Makes an id for a year. Where the browser keeps none there is none, and the collector counts as in hash mode. */
export const makeVisitorId = (): void => {
  if (!visitorId()) write(crypto.getRandomValues(new Uint32Array(4)).join('-'), yearS);
};

export const removeVisitorId = (): void => {
  if (visitorId()) write('', 0);
};
