/**
 * The address bar is the app's state: the page is a function of it, so back, forward, reload and
 * shared links all work. Links are ordinary links; a click on one to a page of the app changes the
 * address without a request.
 */
import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { searchText } from './question.ts';
import { routeOf } from './routes.ts';

export interface Address {
  path: string;
  search: URLSearchParams;
  hash: string;
  /** Goes to a path with its search; `replace` replaces the current entry of the history. */
  go(href: string, options?: { replace?: boolean }): void;
  /** The same page with another search. */
  ask(search: URLSearchParams, options?: { replace?: boolean }): void;
  /** Address of the same page with another search. */
  href(search: URLSearchParams): string;
}

const AddressContext = createContext<Address | null>(null);

export const useAddress = (): Address => useContext(AddressContext)!;

const current = (): string => location.pathname + location.search + location.hash;

export const AddressProvider = ({ children }: { children: ComponentChildren }) => {
  const [href, setHref] = useState(current);

  const go = useCallback<Address['go']>((to, { replace = false } = {}) => {
    const turned = new URL(to, location.href).pathname !== location.pathname;
    if (!replace) keepPlace();
    // As browsers do: a link to the current address adds no entry to the history.
    if (replace || new URL(to, location.href).href === location.href) history.replaceState(history.state, '', to);
    else history.pushState(null, '', to);
    setHref(current());
    if (turned && !replace) scrollTo(0, 0);
  }, []);

  useEffect(() => {
    history.scrollRestoration = 'manual';
    const onPop = (): void => {
      setHref(current());
      returnTo(placeOf(history.state));
    };
    const onClick = (event: MouseEvent): void => {
      const to = appHref(event);
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    };
    addEventListener('popstate', onPop);
    addEventListener('pagehide', keepPlace);
    returnTo(placeOf(history.state));
    document.addEventListener('click', onClick);
    return () => {
      removeEventListener('popstate', onPop);
      removeEventListener('pagehide', keepPlace);
      document.removeEventListener('click', onClick);
    };
  }, [go]);

  const address = useMemo<Address>(() => {
    const { pathname: path, searchParams: search, hash } = new URL(href, location.origin);
    const hrefOf = (next: URLSearchParams): string => path + searchText(next);
    return { path, search, hash, go, ask: (next, options) => go(hrefOf(next), options), href: hrefOf };
  }, [href, go]);

  return <AddressContext.Provider value={address}>{children}</AddressContext.Provider>;
};

/**
 * The browser would put the page back where it was before its rows are there, so the page does it:
 * the entry of the history holds how far down somebody was.
 */
const keepPlace = (): void => history.replaceState({ scrollPx: scrollY }, '');
const placeOf = (state: unknown): number => (state as { scrollPx?: number } | null)?.scrollPx ?? 0;

/** Somebody who scrolls by themselves is not moved later. */
const returnForMs = 3000;

/** Scrolls there as soon as the page is high enough. */
const returnTo = (scrollPx: number): void => {
  const stop = (): void => {
    watch.disconnect();
    removeEventListener('wheel', stop);
    removeEventListener('keydown', stop);
    removeEventListener('pointerdown', stop);
  };
  const look = (): void => {
    scrollTo(0, scrollPx);
    if (Math.abs(scrollY - scrollPx) < 2) stop();
  };
  const watch = new ResizeObserver(look);
  watch.observe(document.body);
  addEventListener('wheel', stop);
  addEventListener('keydown', stop);
  addEventListener('pointerdown', stop);
  setTimeout(stop, returnForMs);
};

/**
 * The target of a click, if it is a page of the app and the click asks for no new window or
 * download.
 */
const appHref = (event: MouseEvent): string | undefined => {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  ) {
    return undefined;
  }
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) {
    return undefined;
  }
  if (routeOf(link.pathname).kind === 'unknown') return undefined;
  const samePage = link.pathname === location.pathname && link.search === location.search && link.hash !== '';
  return samePage ? undefined : link.pathname + link.search + link.hash;
};
