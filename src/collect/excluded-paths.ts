/** A site's excluded paths: many globs that an account made, and paths that strangers made. */
import { decoded, matches } from '../model/glob.ts';

/**
 * Steps that all globs of a site may take together, for each character of a path and for each glob.
 * A hundred globs that begin with `**` need less on the paths of most sites, and the longest path
 * with the worst globs takes less than a millisecond.
 */
const stepsPerCharacter = 30;

/**
 * Tells whether a whole path matches one of the globs, as globMatches does. What that costs depends
 * on the length of the path and the number of globs alone: globs that were made to take long are
 * not followed to their end, and match nothing then.
 */
export const excludedPathMatcher = (globs: readonly string[]): ((path: string) => boolean) => {
  const pairs = globs.map(glob => [glob, decoded(glob)] as const);
  return path => {
    const readPath = decoded(path);
    const work = { left: stepsPerCharacter * (path.length + globs.length) };
    return pairs.some(
      ([glob, readGlob]) =>
        matches(glob, path, work) || ((glob !== readGlob || path !== readPath) && matches(readGlob, readPath, work)),
    );
  };
};
