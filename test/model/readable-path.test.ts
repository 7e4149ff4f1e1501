import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readablePath, storedPath } from '../../src/model/readable-path.ts';

const rows: [stored: string, read: string][] = [
  ['/', '/'],
  ['/caf%C3%A9', '/café'],
  ['/%d9%85%d8%b1%d8%ad%d8%a8%d8%a7/x', '/مرحبا/x'],
  ['/%E0%A4%A8%E0%A4%AE', '/नम'],
  ['/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB', '/👩‍💻'],
  // Another path, were it decoded.
  ['/a%2Fb%3Fc%23d%25e%20f', '/a%2Fb%3Fc%23d%25e%20f'],
  // Not UTF-8.
  ['/caf%E9', '/caf%E9'],
  // A mark that turns the direction of what follows, and a space that looks like any other.
  ['/%E2%80%AEgpj.exe', '/%E2%80%AEgpj.exe'],
  ['/%C2%A0%C3%A9', '/%C2%A0é'],
];
for (const [stored, read] of rows) test(`${stored} reads ${read}`, () => assert.is(readablePath(stored), read));

test('a text that is typed as it is read finds what is stored', () => {
  assert.is(storedPath('/café/?x=1'), '/caf%C3%A9/?x=1');
  fc.assert(
    fc.property(fc.webPath(), path => {
      const { pathname } = new URL(`/x${path}`, 'https://x.example');
      const read = readablePath(pathname);
      assert.is(new URL(read, 'https://x.example').pathname.toLowerCase(), pathname.toLowerCase());
      assert.is(storedPath(read).toLowerCase(), pathname.toLowerCase());
      assert.not.match(read, /\n/);
    }),
  );
});

test.run();
