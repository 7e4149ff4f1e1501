import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { excludedPathMatcher } from '../../src/collect/excluded-paths.ts';
import { parsePageUrl } from '../../src/collect/page-url.ts';
import { globMatches } from '../../src/model/glob.ts';

test('a path is excluded where one of the globs matches it', () => {
  const piece = fc.constantFrom('a', 'b', '/', '*', '**', 'ü', '%C3%BC', '%2F', '%');
  const text = fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join(''));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), text, (globs, path) => {
      const wanted = globs.some(glob => globMatches(glob, path));
      assert.is(excludedPathMatcher(globs)(path), wanted, JSON.stringify({ globs, path }));
    }),
    { seed: 1, numRuns: 3000 },
  );
});

test('a hundred usual globs are all looked at', () => {
  const paths = ['/a/b/c/d/e/f/index.html', `/${'section/'.repeat(12)}page`, '/%C3%BCber/uns/seite'];
  for (const path of paths) {
    const globs = Array.from({ length: 99 }, (_, i) => `/**/preview-${i}/**`);
    assert.not.ok(excludedPathMatcher(globs)(path));
    assert.ok(excludedPathMatcher([...globs, `/**${path.slice(-4)}`])(path), path);
  }
});

test('a long list from before lists were bounded still matches', () => {
  const globs = Array.from({ length: 3000 }, (_, i) => `/old/page-${i}/**`);
  assert.ok(excludedPathMatcher(globs)('/old/page-2999/x'));
  assert.not.ok(excludedPathMatcher(globs)('/old/page-3000/x'));
});

test('the first 2,000 characters of a path are looked at, and letters stay whole', () => {
  const { pathname } = parsePageUrl(`https://e.example/ü/${'€'.repeat(1900)}`)!;
  assert.ok(pathname.length <= 2000 && pathname.length > 1980);
  assert.ok(decodeURI(pathname).startsWith('/ü/€'));
  assert.ok(excludedPathMatcher(['/ü/**'])(pathname));
});

test('globs that differ in their ends cost next to nothing on other paths', () => {
  const globs = Array.from({ length: 99 }, (_, i) => `/**/*-draft.${i}`);
  const path = `/${'long-section/'.repeat(100)}page.pdf`;
  assert.not.ok(excludedPathMatcher(globs)(path));
  assert.ok(excludedPathMatcher([...globs, '/**/*.pdf'])(path));
});

test.run();
