/** What the page calls: the global function `tracker` (docs/tracker.md, "Calls") and, beside an Umami tag, `umami`. */
import type { Hits } from './hits.ts';

type Properties = Record<string, unknown>;

export interface Calls {
  event(name: string, properties?: Properties): void;
  identify(who: unknown, traits?: Properties): void;
  /** `amount` in minor units of `currency`. */
  revenue(amount: number, currency?: string, properties?: Properties, name?: string): void;
}

export const createCalls = ({ send }: Hits): Calls => {
  const calls: Calls = {
    event(n, p) {
      if (!n) return;
      if (typeof p?.revenue !== 'number') send('custom', { n: `${n}`, p });
      else {
        const { revenue, currency, ...rest } = p;
        calls.revenue(revenue as number, currency as string, rest, n);
      }
    },
    identify(who, traits) {
      send('identify', { p: typeof who === 'object' ? (who as Properties) : { id: who, ...traits } });
    },
    revenue(v, c, p, n = 'revenue') {
      send('revenue', { n, v, c, p });
    },
  };
  return calls;
};
