/** Which orders of shops came lately, so that each counts once. */
import { type LRU, lru } from 'tiny-lru';

export interface Order {
  accountId: number;
  /** Of the order at its site, which it names. */
  id: string;
}

export type Orders = ReturnType<typeof orderMemory>;

/** Orders of an account to remember, in 2 MB. A page that is loaded again mostly is in minutes. */
const ordersMax = 10_000;
/** Of an id, which a shop makes and anybody may make up. */
const orderCharsMax = 100;

/** Accounts, which an operator makes, have memories of their own: none pushes out another's. */
export const orderMemory = (max = ordersMax) => {
  const byAccount = new Map<number, LRU<true>>();
  const keyOf = ({ id }: Order): string => id.slice(0, orderCharsMax);
  return {
    /** Whether an order is new. From now on it is not. */
    take(order: Order): boolean {
      const known = byAccount.get(order.accountId) ?? lru<true>(max);
      byAccount.set(order.accountId, known);
      if (known.get(keyOf(order)) === true) return false;
      known.set(keyOf(order), true);
      return true;
    },
    forget(order: Order): void {
      byAccount.get(order.accountId)?.delete(keyOf(order));
    },
  };
};
