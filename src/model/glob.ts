/**
 * Path globs of `data-exclude` and of a site's excluded paths (service.md, "Glob rules"): anchored at both ends,
 * `*` matches anything but `/`, `**` matches across segments; both match nothing too, so `/a/**` matches `/a/` but not `/a`.
 */

/** Compiles one glob. Every other character stands for itself. */
export const globToRegExp = (glob: string): RegExp =>
  new RegExp(
    `^${glob.replace(/\*\*|\*|[\\^$.|?+()[\]{}]/g, token => (token === '**' ? '.*' : token === '*' ? '[^/]*' : `\\${token}`))}$`,
    's',
  );
