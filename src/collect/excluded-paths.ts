/** A site's excluded paths: many globs that an account made, and paths that strangers made. */
import { decoded, matches } from '../model/glob.ts';

/**
 * Steps that all globs of a site may take together: some for each glob, as a hundred usual ones
 * need, and some for each character of the path. A hundred of the worst on the longest path then
 * take as long as three hits without any.
 */
const stepsPerGlob = 30;
const stepsPerCharacter = 1;

/**
 * Tells whether a whole path matches one of the globs, as globMatches does. What that costs depends
 * on the length of the path and the number of globs alone: globs that were made to take long are
 * not followed to their end, and match nothing then.
 */
export const excludedPathMatcher = (globs: readonly string[]): ((path: string) => boolean) => {
  const pairs = globs.map(glob => [withEnd(glob), withEnd(decoded(glob))] as const);
  return path => {
    const readPath = decoded(path);
    const work = { left: stepsPerCharacter * path.length + stepsPerGlob * globs.length };
    // Most paths end otherwise than a glob with something after its last star.
    const matchesOne = ({ glob, end }: WithEnd, text: string): boolean =>
      text.endsWith(end) && matches(glob, text, work);
    return pairs.some(
      ([asIs, asRead]) =>
        matchesOne(asIs, path) || ((asIs.glob !== asRead.glob || path !== readPath) && matchesOne(asRead, readPath)),
    );
  };
};

interface WithEnd {
  glob: string;
  /** What follows the last star. */
  end: string;
}

const withEnd = (glob: string): WithEnd => ({ glob, end: glob.slice(glob.lastIndexOf('*') + 1) });
