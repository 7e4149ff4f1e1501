/**
 * Path globs of `data-exclude` and of a site's excluded paths (docs/tracker.md, "Attributes"):
 * anchored at both ends, `*` matches anything but `/`, `**` matches across segments; both match
 * nothing too, so `/a/**` matches `/a/` but not `/a`. Letters mean the same as such and
 * percent-encoded: addresses are encoded, and people write globs as they read them. Not a regular
 * expression: paths come from strangers, and with a few stars one can backtrack for minutes.
 */

/** Whether the whole path matches, as it is or as it is read. */
export const globMatches = (glob: string, path: string): boolean =>
  matches(glob, path) || matches(decoded(glob), decoded(path));

/** A text as it is read; as it is where it is no encoded text. */
const decoded = (text: string): string => {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
};

/** Every character but `*` stands for itself. Costs at most tokens times characters. */
const matches = (glob: string, path: string): boolean => {
  // The places in the path where the tokens so far can end. Splitting by the stars keeps the stars,
  // between literals that may be empty.
  let ends = new Set([0]);
  for (const token of glob.split(/(\*\*?)/)) {
    const next = new Set<number>();
    for (const start of ends) {
      if (token[0] !== '*') {
        if (path.startsWith(token, start)) next.add(start + token.length);
        continue;
      }
      const passes = (at: number): boolean => at < path.length && (token === '**' || path[at] !== '/');
      // A known end was reached from an earlier start, and so was everything after it.
      for (let end = start; !next.has(end); end += passes(end) ? 1 : 0) next.add(end);
    }
    ends = next;
  }
  return ends.has(path.length);
};
