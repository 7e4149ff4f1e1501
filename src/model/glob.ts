/**
 * Path globs of `data-exclude` and of a site's excluded paths (docs/tracker.md, "Attributes"):
 * anchored at both ends, `*` matches anything but `/`, `**` matches across segments; both match
 * nothing too, so `/a/**` matches `/a/` but not `/a`. Letters mean the same as such and
 * percent-encoded: addresses are encoded, and people write globs as they read them. Not a regular
 * expression: paths come from strangers and globs from accounts, and with a few stars one can
 * backtrack for minutes.
 */

/** Whether the whole path matches, as it is or as it is read. */
export const globMatches = (glob: string, path: string): boolean =>
  matches(glob, path) || matches(decoded(glob), decoded(path));

/** A text as it is read; as it is where it is no encoded text. */
export const decoded = (text: string): string => {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
};

/**
 * Every character but `*` stands for itself. Walks glob and path side by side, and goes back to the
 * last star where they differ, which then takes more. What stood before that star never needs
 * another place, since the first it had leaves most to the rest. Each step takes one of
 * `work.left`; false where none is left.
 */
export const matches = (glob: string, path: string, work?: { left: number }): boolean => {
  let at = 0;
  let place = 0;
  // Where the glob goes on after the last `**`, and after the last `*` since then; 0 where there is
  // none. And the ends of what they have taken.
  let far = 0;
  let farEnd = 0;
  let near = 0;
  let nearEnd = 0;
  while (place < path.length) {
    if (work && work.left-- < 1) return false;
    if (glob[at] === '*') {
      near = ++at;
      nearEnd = place;
      for (; glob[at] === '*'; near = 0) {
        far = ++at;
        farEnd = place;
      }
    } else if (glob[at] === path[place]) {
      at++;
      place++;
    } else if (near && path[nearEnd] !== '/') {
      at = near;
      place = ++nearEnd;
    } else {
      // A `*` that found nothing in its segment finds nothing there from a later start either.
      if (near) farEnd = path.indexOf('/', farEnd);
      place = farEnd = ++farEnd && far ? path.indexOf(glob[far] || '', farEnd) : -1;
      if (place < 0) return false;
      at = far;
      near = 0;
    }
  }
  return !/[^*]/.test(glob.slice(at));
};
