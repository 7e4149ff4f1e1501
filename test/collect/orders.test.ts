import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Orders, orderMemory } from '../../src/collect/orders.ts';

const taking =
  ({ take }: Orders, accountId: number) =>
  (...ids: string[]): boolean[] =>
    ids.map(id => take({ accountId, id }));

test('each order is new once, until it is forgotten or so many others came', () => {
  const orders = orderMemory(3);
  const take = taking(orders, 1);
  assert.equal(take('1 a', '1 b', '2 a', '1 a', '1 b'), [true, true, true, false, false]);
  orders.forget({ accountId: 1, id: '1 a' });
  assert.equal(take('1 a', '1 c', '1 d', '1 e', '1 a'), [true, true, true, true, true]);
  assert.equal(take('x'.repeat(5000), `${'x'.repeat(5000)}y`), [true, false], 'long ids are cut');
});

test('the orders of one account push out none of another', () => {
  const orders = orderMemory(3);
  const [one, other] = [taking(orders, 1), taking(orders, 2)];
  assert.equal(one('1 a'), [true]);
  other(...Array.from({ length: 20 }, (_, i) => `2 ${i}`));
  assert.equal(one('1 a'), [false]);
});

test.run();
