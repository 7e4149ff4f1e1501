import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { globMatches } from '../../src/model/glob.ts';

/** The rules read aloud, with every way to split tried. */
const naive = (glob: string, path: string): boolean => {
  if (glob === '') return path === '';
  const star = glob.startsWith('**') ? '**' : glob.startsWith('*') ? '*' : '';
  if (star === '') return path.startsWith(glob[0]!) && naive(glob.slice(1), path.slice(1));
  for (let taken = 0; taken <= path.length; taken++) {
    if (star === '*' && path.slice(0, taken).includes('/')) return false;
    if (naive(glob.slice(star.length), path.slice(taken))) return true;
  }
  return false;
};

const examples: [glob: string, path: string, matches: boolean][] = [
  ['/admin', '/admin', true],
  ['/admin', '/admin/', false],
  ['/admin', '/admin/users', false],
  ['/admin', '/x/admin', false],
  ['/admin/*', '/admin/users', true],
  ['/admin/*', '/admin/users/7', false],
  ['/admin/*', '/admin', false],
  ['/admin/**', '/admin/users', true],
  ['/admin/**', '/admin/users/7', true],
  ['/admin/**', '/admin', false],
  ['/admin/**', '/admin/', true],
  ['/*/edit', '/posts/edit', true],
  ['/*/edit', '/posts/7/edit', false],
  ['/**/edit', '/posts/7/edit', true],
  ['**', '/', true],
  ['*', '/', false],
  ['', '/', false],
  ['', '', true],
  ['/a.b', '/axb', false],
  ['/a+(b)[c]', '/a+(b)[c]', true],
  ['/line\nbreak*', '/line\nbreaks', true],
  ['/a***', '/a/b', true],
];

for (const [glob, path, matches] of examples) {
  test(`"${glob}" ${matches ? 'matches' : 'does not match'} "${path}"`, () => {
    assert.is(globMatches(glob, path), matches);
    assert.is(naive(glob, path), matches);
  });
}

test('agrees with the naive matcher on any glob and path', () => {
  const piece = fc.constantFrom('a', 'b', 'ab', '/', '*', '**', '.', '\n', '😀');
  const glob = fc.array(piece, { maxLength: 7 }).map(pieces => pieces.join(''));
  const path = fc
    .array(fc.constantFrom('a', 'b', '/', '.', '\n', '😀'), { maxLength: 9 })
    .map(parts => `/${parts.join('')}`);
  fc.assert(
    fc.property(glob, path, (glob, path) => {
      assert.is(globMatches(glob, path), naive(glob, path));
    }),
    { seed: 7, numRuns: 3000 },
  );
});

test('a glob made from a path by putting stars into it matches that path', () => {
  const cut = fc.record({ path: fc.webPath(), from: fc.nat(30), to: fc.nat(30) });
  fc.assert(
    fc.property(cut, ({ path, from, to }) => {
      const [start, end] = [Math.min(from, to), Math.max(from, to)];
      assert.ok(globMatches(`${path.slice(0, start)}**${path.slice(end)}`, path));
    }),
    { seed: 7 },
  );
});

test('many stars over a long path come to an end', () => {
  const path = `/${'a'.repeat(2000)}`;
  assert.not(globMatches(`${'**a'.repeat(40)}b`, path));
  assert.not(globMatches(`${'*a'.repeat(40)}b`, path));
  assert.ok(globMatches(`/${'*a'.repeat(40)}`, path));
});

test.run();
