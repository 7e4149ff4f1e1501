import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { orderMemory } from '../../src/collect/orders.ts';

test('each order is new once, until it is forgotten or so many others came', () => {
  const orders = orderMemory(3);
  const take = (...names: string[]) => names.map(orders.take);
  assert.equal(take('1 a', '1 b', '2 a', '1 a', '1 b'), [true, true, true, false, false]);
  orders.forget('1 a');
  assert.equal(take('1 a', '1 c', '1 d', '1 e', '1 a'), [true, true, true, true, true]);
  assert.equal(take('x'.repeat(5000), `${'x'.repeat(5000)}y`), [true, false], 'long ids are cut');
});

test.run();
