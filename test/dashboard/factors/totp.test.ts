import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { base32, otpauthUri, totpCode, totpStepOf } from '../../../src/dashboard/factors/totp.ts';

/** RFC 6238, appendix B: seconds, and the last six of the eight digits of SHA-1. */
const vectors: [number, string][] = [
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
];
const secret = Buffer.from('12345678901234567890');

test('codes are those of RFC 6238', () => {
  for (const [seconds, code] of vectors) {
    assert.is(totpCode(secret, Math.floor(seconds / 30)), code);
    assert.is(totpStepOf({ totp: secret, totpStep: null }, code, seconds * 1000), Math.floor(seconds / 30));
  }
});

test('a code counts one step around its own, however it is spaced', () => {
  const at = 1234567890_000;
  const step = Math.floor(at / 30_000);
  const found = (offset: number, totpStep: number | null = null) => {
    const code = totpCode(secret, step + offset);
    return totpStepOf({ totp: secret, totpStep }, `${code.slice(0, 3)} ${code.slice(3)}`, at);
  };
  assert.equal(
    [-2, -1, 0, 1, 2].map(offset => found(offset)),
    [undefined, step - 1, step, step + 1, undefined],
  );
  assert.equal(
    [-1, 0, 1].map(offset => found(offset, step)),
    [undefined, undefined, step + 1],
    'each step once',
  );
});

test('what is no code matches nothing', () => {
  for (const typed of ['', '12345', '1234567', '00592 ', 'abcdef', '５９２４００', '5924', '+05924', '5924.0'])
    assert.is(totpStepOf({ totp: secret, totpStep: null }, typed, 1234567890_000), undefined, typed);
});

test('base 32 is that of RFC 4648', () => {
  const rows = [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const;
  for (const [text, encoded] of rows) assert.is(base32(Buffer.from(text)), encoded);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), bytes => base32(bytes).length === Math.ceil((bytes.length * 8) / 5)),
  );
});

test('an app is told the secret and what to call it, whatever the e-mail holds', () => {
  assert.is(
    otpauthUri(secret, 'a+b&c@example.com', 'stats.example.com'),
    'otpauth://totp/Daybook%20stats.example.com:a%2Bb%26c%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Daybook%20stats.example.com',
  );
  const url = new URL(otpauthUri(randomBytes(20), 'x?secret=AAAA@example.com', 'h'));
  assert.is(url.searchParams.getAll('secret').length, 1);
});

test.run();
