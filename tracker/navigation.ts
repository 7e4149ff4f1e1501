/** Navigation inside the document: History API, back and forward, and the hash where it is part of the path. */

/**
 * Calls `navigated` after each change of pathname or search; with `hash`, of the hash too. `replaceState` counts only when the
 * pathname changes: it is how pages keep filters and scroll positions in the address.
 */
export const watchNavigation = (hash: boolean, navigated: () => void): void => {
  const readPath = (): string => location.pathname + (hash ? location.hash : '');
  let path = readPath();
  let search = location.search;

  const compare = (pathOnly: boolean): void => {
    const changed = path !== readPath() || (!pathOnly && search !== location.search);
    path = readPath();
    search = location.search;
    if (changed) navigated();
  };

  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    history[name] = function (this: History, ...args) {
      original.apply(this, args);
      compare(name === 'replaceState');
    };
  }
  // A change of the hash fires popstate as well.
  addEventListener('popstate', () => compare(false));
};
