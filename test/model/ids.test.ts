import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeApiKey, makePublicKey, makeUuid } from '../../src/model/ids.ts';

test('keys and ids have their form and differ', () => {
  assert.match(makePublicKey(randomBytes), /^pk_live_[0-9A-Za-z]{24}$/);
  assert.match(makeApiKey(randomBytes), /^tk_live_[0-9A-Za-z]{32}$/);
  assert.match(makeUuid(randomBytes), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  for (const make of [makePublicKey, makeApiKey, makeUuid]) {
    assert.is(new Set(Array.from({ length: 1000 }, () => make(randomBytes))).size, 1000);
  }
});

test('every character is equally likely', () => {
  const uses = new Map<string, number>();
  let next = 0;
  const everyByte = (bytes: number): Uint8Array => Uint8Array.from({ length: bytes }, () => next++ % 256);
  // 62 keys of 24 characters use every usable byte, 0 to 247, six times.
  for (let i = 0; i < 62; i++) {
    for (const character of makePublicKey(everyByte).slice(8)) uses.set(character, (uses.get(character) ?? 0) + 1);
  }
  assert.is(uses.size, 62);
  assert.ok(Math.max(...uses.values()) - Math.min(...uses.values()) <= 4);
});

test('bytes that would favour some characters are skipped', () => {
  const calls: number[] = [];
  const random = (bytes: number): Uint8Array => {
    calls.push(bytes);
    return new Uint8Array(bytes).fill(calls.length === 1 ? 255 : 61);
  };
  assert.is(makePublicKey(random), `pk_live_${'z'.repeat(24)}`);
  assert.is(calls.length, 2);
});

test.run();
