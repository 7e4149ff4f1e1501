/** The functions of Umami's tracker, for pages that came with its tag. */
import type { Calls } from './calls.ts';
import { quietly } from './quietly.ts';

export interface Umami {
  track(name?: unknown, data?: Record<string, unknown>): void;
  identify(who: unknown, traits?: Record<string, unknown>): void;
}

declare global {
  interface Window {
    umami?: Umami;
  }
}

/** Minor units in one major unit. */
const minorUnits = (currency: string): number =>
  10 ** new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits!;

/** Umami counts revenue in major units. Its forms that take a function or a payload send a pageview of the current address. */
export const createUmami = ({ event, identify }: Calls, pageview: () => void): Umami => ({
  track: quietly((name?: unknown, data?: Record<string, unknown>) => {
    if (typeof name !== 'string') pageview();
    else if (typeof data?.revenue !== 'number') event(name, data);
    else event(name, { ...data, revenue: Math.round(data.revenue * minorUnits((data.currency as string) ?? 'USD')) });
  }),
  identify: quietly(identify),
});
