/** As much of a page's globals as the tracker's pure parts read. What happens in a real one is test/browser's to say. */

/** Sets globals for one test; the returned function takes them away again. */
export const withGlobals = (globals: Record<string, unknown>, run: () => void): void => {
  const before = Object.keys(globals).map(name => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  try {
    run();
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) delete (globalThis as Record<string, unknown>)[name];
      else Object.defineProperty(globalThis, name, descriptor);
    }
  }
};

/** `document` with cookies for one host, in a browser that refuses domains that are no suffix of it, and public suffixes. */
export const cookieJar = (
  host: string,
  publicSuffixes: string[],
  enabled = true,
): { cookie: string; domains: string[] } => {
  const kept = new Map<string, { value: string; domain: string }>();
  return {
    domains: [],
    get cookie() {
      return Array.from(kept, ([name, { value }]) => `${name}=${value}`).join('; ');
    },
    set cookie(text: string) {
      const [pair, ...attributes] = text.split(';');
      const [name, value] = pair!.split('=') as [string, string];
      const attribute = (key: string) => attributes.find(text => text.startsWith(`${key}=`))?.slice(key.length + 1);
      const domain = attribute('domain') ?? '';
      const own = host === domain || host.endsWith(`.${domain}`);
      if (!enabled || !own || publicSuffixes.includes(domain)) return;
      if (attribute('max-age') === '0') {
        if (kept.get(name)?.domain === domain) kept.delete(name);
        return;
      }
      kept.set(name, { value, domain });
      this.domains.push(domain);
    },
  };
};
