/**
 * What the page calls: the global function `tracker` (docs/tracker.md, "Calls") and, beside an
 * Umami tag, `umami`.
 */
import type { Hits } from './hits.ts';

type Properties = Record<string, unknown>;

export interface Calls {
  event(name: string, properties?: Properties): void;
  identify(who: unknown, traits?: Properties): void;
  /** `amount` in minor units of `currency`: a number, or a text or BigInt that says one. */
  revenue(amount: unknown, currency?: string, properties?: Properties, name?: string): void;
}

/** Neither NaN nor without an end. */
const isAmount = (number: number): boolean => number - number === 0;

/** The number that a number, a text or a BigInt says; NaN for everything else. */
const numberOf = (value: unknown): number => Number(`${value}` || 'none');

export const createCalls = ({ send }: Hits): Calls => {
  const calls: Calls = {
    event(n, p) {
      if (!n) return;
      if (!isAmount(numberOf(p?.revenue))) send('custom', { n: `${n}`, p });
      else {
        const { revenue, currency, ...rest } = p!;
        calls.revenue(revenue, currency as string, rest, n);
      }
    },
    identify(who, traits) {
      send('identify', { p: typeof who === 'object' ? (who as Properties) : { id: who, ...traits } });
    },
    revenue(amount, c, p, n = 'revenue') {
      const v = numberOf(amount);
      if (isAmount(v)) send('revenue', { n, v, c, p });
    },
  };
  return calls;
};
