import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeRecoveryCodes, recoveryCodeOf } from '../../../src/dashboard/factors/recovery-codes.ts';

test('ten codes are made, all different, and each is read as it was made', () => {
  const codes = makeRecoveryCodes(randomBytes);
  assert.is(new Set(codes).size, 10);
  for (const code of codes) {
    assert.match(code, /^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}$/);
    for (const typed of [code, code.toUpperCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')} `])
      assert.is(recoveryCodeOf(typed), code, typed);
  }
});

test('a letter that looks like a digit is the digit', () => {
  assert.is(recoveryCodeOf('O0oI-l1L1-abcd'), '0001-1111-abcd');
});

test('every five bits of randomness become one letter', () => {
  assert.is(
    new Set(Array.from({ length: 32 }, (_, i) => makeRecoveryCodes(() => new Uint8Array(12).fill(i))[0])).size,
    32,
  );
});

test('what is no code is none', () => {
  for (const typed of ['', '1234-5678-9ab', '1234-5678-9abcd', 'uuuu-uuuu-uuuu', '1234_5678_9abc'])
    assert.is(recoveryCodeOf(typed), undefined, typed);
  fc.assert(fc.property(fc.string(), typed => recoveryCodeOf(typed) === undefined || typed.length >= 12));
});

test.run();
