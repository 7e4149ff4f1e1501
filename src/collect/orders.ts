/** Which orders of shops came lately, so that each counts once. */
import { lru } from 'tiny-lru';

export interface Orders {
  /** Whether an order is new. From now on it is not. */
  take(order: string): boolean;
  forget(order: string): void;
}

/** Orders to remember, in some 2 MB. A page that is loaded again mostly is within minutes. */
const ordersMax = 10_000;
/** Of an id, which a shop makes and anybody may make up. */
const orderCharsMax = 100;

export const orderMemory = (max = ordersMax): Orders => {
  const known = lru<true>(max);
  const keyOf = (order: string): string => order.slice(0, orderCharsMax);
  return {
    take(order) {
      if (known.get(keyOf(order)) === true) return false;
      known.set(keyOf(order), true);
      return true;
    },
    forget(order) {
      known.delete(keyOf(order));
    },
  };
};
