/**
 * The first-party id of cookie mode. In hash mode none is made, and one that is there is removed.
 */

const name = '_daybook';
const yearS = 365 * 24 * 3600;

const read = (): string | undefined => document.cookie.match(`(?:^|; )${name}=([^;]+)`)?.[1];

/**
 * Sets or removes the cookie on the widest domain that the browser allows, so that a site's
 * subdomains share it. A public suffix such as `com` is refused, which shows only in reading the
 * cookie back.
 */
const write = (value: string, seconds: number): void => {
  const labels = location.hostname.split('.');
  for (let first = labels.length; first-- && !read() === !!value; ) {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is too young.
    document.cookie = `${name}=${value};path=/;max-age=${seconds};samesite=lax;domain=${labels.slice(first).join('.')}`;
  }
};

/**
 * The id. With `make`, one is made for a year where there is none. A browser that keeps no cookies
 * has none, and is counted as in hash mode.
 */
export const visitorId = (make: boolean): string | undefined => {
  try {
    if (make && !read()) write(crypto.getRandomValues(new Uint32Array(4)).join('-'), yearS);
    return read();
  } catch {
    // Cookies are out of reach in a sandboxed frame.
    return undefined;
  }
};

export const removeVisitorId = (): void => {
  if (read()) write('', 0);
};
