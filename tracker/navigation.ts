/**
 * Navigation inside the document: Navigation API, History API, back and forward, and the hash where
 * it is part of the path.
 */
import type { Config } from './config.ts';

/**
 * Calls `changed` after each change of pathname or search, and of a hash that matches. It may be a
 * redirect where the address was replaced, or where nobody has clicked or typed yet, so that the
 * page itself navigates. It is a page of its own otherwise, unless a replacement made no more than
 * a new search: that is how pages keep filters and scroll positions in the address.
 */
export const watchNavigation = (
  hash: Config['hash'],
  changed: (mayRedirect: boolean, isPage: boolean) => void,
): void => {
  const readPath = (): string => location.pathname + (hash && location.hash.match(hash));
  let path = readPath();
  let search = location.search;

  const compare = (how?: string | null): void => {
    const isOtherPath = path !== readPath();
    const isOther = isOtherPath || search !== location.search;
    path = readPath();
    search = location.search;
    const isReplaced = how === 'replace';
    if (isOther) changed(isReplaced || navigator.userActivation?.hasBeenActive === false, !isReplaced || isOtherPath);
  };

  // Knows of every change, even by a router that took `pushState` before this script came, or that
  // never calls it.
  if (window.navigation) {
    window.navigation.addEventListener('currententrychange', event => compare(event.navigationType));
    return;
  }
  // A change of the hash fires popstate as well.
  addEventListener('popstate', () => compare(), true);
  // Last, since a page may have frozen its history.
  for (const how of ['push', 'replace'] as const) {
    const original = history[`${how}State`];
    history[`${how}State`] = function (this: History, ...args) {
      // What the page put in the original's place may throw after the address has changed, or give
      // something back.
      try {
        return original.apply(this, args);
      } finally {
        // A router that listened before us may replace the address when somebody has gone back.
        compare(window.event?.type === 'popstate' ? '' : how);
      }
    };
  }
};
