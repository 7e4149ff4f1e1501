import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { VisitTable } from '../../src/collect/visit-table.ts';
import { lastingVisitor, type VisitorKey } from '../../src/collect/visitor.ts';
import { makeKeyedHash } from '../../src/model/keyed-hash.ts';

test('the table does what a Map does, whatever its size', () => {
  const table = new VisitTable(makeKeyedHash(randomBytes));
  const map = new Map<VisitorKey, { id: number; lastAt: number }>();
  for (let i = 1; i <= 50_000; i++) {
    const visitor = lastingVisitor({ id: 1, visitorKey: '' }, String(i));
    table.put(visitor, i, i);
    map.set(visitor, { id: i, lastAt: i });
    if (i % 3 === 0) {
      const earlier = lastingVisitor({ id: 1, visitorKey: '' }, String(i / 3));
      table.put(earlier, i / 3, i);
      map.get(earlier)!.lastAt = i;
    }
  }
  assert.is(table.size, map.size);
  for (const [visitor, { id, lastAt }] of map) {
    assert.is(table.find(visitor, lastAt), id);
    assert.is(table.find(visitor, lastAt + 1), 0);
  }
  for (let i = 0; i < 1000; i++) assert.is(table.find(lastingVisitor({ id: 2, visitorKey: '' }, String(i)), 0), 0);
});

test('keys that differ in any byte, or collide, stay apart', () => {
  const bytes = fc.uint8Array({ minLength: 8, maxLength: 8 });
  // Few different low words, so that many keys want the same slot.
  const keys = fc.uniqueArray(
    bytes.map(key => Buffer.from([...key.subarray(0, 6), 0, key[7]! & 3]).toString('latin1')),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(keys, visitors => {
      const table = new VisitTable(makeKeyedHash(randomBytes));
      for (const [i, visitor] of visitors.entries()) table.put(visitor, i + 1, 5);
      for (const [i, visitor] of visitors.entries()) assert.is(table.find(visitor, 5), i + 1);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('a visitor’s new visit replaces the one before, and the same visit only gets later', () => {
  const table = new VisitTable(makeKeyedHash(randomBytes));
  const visitor = lastingVisitor({ id: 1, visitorKey: '' }, 'a');
  table.put(visitor, 1, 100);
  table.put(visitor, 1, 50);
  assert.is(table.find(visitor, 100), 1);
  table.put(visitor, 2, 70);
  assert.equal([table.find(visitor, 70), table.find(visitor, 71), table.size], [2, 0, 1]);
  table.forget(visitor);
  assert.is(table.find(visitor, 0), 0);
  table.put(visitor, 3, 80);
  assert.is(table.find(visitor, 80), 3);
  table.forget(lastingVisitor({ id: 1, visitorKey: '' }, 'nobody'));
  assert.is(table.find(lastingVisitor({ id: 1, visitorKey: '' }, 'nobody'), 0), 0);
});

test('a hash with a key picks the slot, so that nobody can make visitors who all want the same one', () => {
  // What a sender of cookie mode can do: try ids until the visitors they make agree in many bits.
  const crafted: VisitorKey[] = [];
  for (let i = 0; crafted.length < 1000; i++) {
    const visitor = lastingVisitor({ id: 1, visitorKey: '' }, String(i));
    if ((visitor.charCodeAt(7) & 63) === 0) crafted.push(visitor);
  }
  const hash = makeKeyedHash(randomBytes);
  const asked = new Set<number>();
  const table = new VisitTable((high, low, none) => {
    const slot = hash(high, low, none);
    asked.add(slot & 1023);
    return slot;
  });
  for (const [i, visitor] of crafted.entries()) table.put(visitor, i + 1, 5);
  for (const [i, visitor] of crafted.entries()) assert.is(table.find(visitor, 5), i + 1);
  // Of 1,024 slots 1,000 random numbers hit some 639; crafted visitors would hit 16 of their own bits.
  assert.ok(asked.size > 550, `${asked.size}`);
});

test.run();
