/** Navigation inside the document: History API, back and forward, and the hash where it is part of the path. */

/**
 * Calls `navigated` after each change of pathname or search; with `hash`, of the hash too. `replaceState` counts only when the
 * pathname changes: it is how pages keep filters and scroll positions in the address.
 */
export const watchNavigation = (hash: boolean, navigated: () => void): void => {
  // Routers in the hash begin by making `/` into `/#/`, which is the same page.
  const readPath = (): string => location.pathname + (hash ? location.hash.replace('#/', '') : '');
  let path = readPath();
  let search = location.search;

  const compare = (pathOnly: boolean): void => {
    const changed = path !== readPath() || (!pathOnly && search !== location.search);
    path = readPath();
    search = location.search;
    if (changed) navigated();
  };

  // A change of the hash fires popstate as well.
  addEventListener('popstate', () => compare(false));
  // Last, since a page may have frozen its history.
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    history[name] = function (this: History, ...args) {
      // What the page put in the original's place may throw after the address has changed, or give something back.
      try {
        return original.apply(this, args);
      } finally {
        compare(name === 'replaceState');
      }
    };
  }
};
