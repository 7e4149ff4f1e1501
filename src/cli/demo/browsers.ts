/**
 * The browsers of the demo's visitors: what they call themselves at a time, and the windows they
 * are used in.
 */
import { utcDayOf } from '../../model/time.ts';
import written from './browsers.json' with { type: 'json' };
import type { Chance, Weighted } from './random.ts';

export interface Browser {
  userAgent: string;
  width: number;
  height: number;
  mobile: boolean;
  /** Which web vitals it can measure. */
  engine: 'chromium' | 'webkit' | 'gecko';
}

interface Kind {
  weight: number;
  engine: Browser['engine'];
  sizes: keyof typeof written.sizes;
  /** With `{chrome}`, `{firefox}` … where a version stands. */
  userAgent: string;
}

/** Windows, not screens: a browser's own bars are taken off. */
const sizes = written.sizes as unknown as Record<Kind['sizes'], Weighted<[width: number, height: number]>>;
const weighted = (kinds: readonly unknown[]): Weighted<Kind> =>
  (kinds as readonly Kind[]).map(kind => [kind, kind.weight]);
const [desktopKinds, mobileKinds] = [weighted(written.desktop), weighted(written.mobile)];

/**
 * A new major version of Chrome and Firefox every four weeks; Safari is named after its year and
 * gets a minor one every two months.
 */
const versionsAt = (chance: Chance, at: number): Record<string, string | number> => {
  const behind = chance.weighted<number>([
    [0, 70],
    [1, 22],
    [2, 5],
    [6, 3],
  ]);
  const fourWeeks = Math.floor((utcDayOf(at) - utcDayOf(Date.UTC(2024, 10, 12))) / 28);
  const date = new Date(at);
  const autumn = date.getUTCMonth() >= 9 ? date.getUTCFullYear() : date.getUTCFullYear() - 1;
  const months = (date.getUTCMonth() + 12 - 9) % 12;
  const chrome = Math.max(100, 131 + fourWeeks - behind);
  const safari = `${autumn > 2024 ? autumn - 1999 : 18}.${Math.max(0, (months >> 1) - (behind > 0 ? 1 : 0))}`;
  return { chrome, firefox: chrome + 1, opera: chrome - 16, safari, safari_: safari.replace('.', '_') };
};

/** A browser as somebody has it at that time. */
export const browserOf = (chance: Chance, at: number, mobileShare: number): Browser => {
  const kind = chance.weighted(chance.is(mobileShare) ? mobileKinds : desktopKinds);
  const [width, height] = chance.weighted(sizes[kind.sizes]);
  const versions = versionsAt(chance, at);
  return {
    userAgent: kind.userAgent.replace(/\{(\w+)\}/g, (_, name: string) => String(versions[name])),
    width,
    height,
    mobile: kind.sizes === 'phone',
    engine: kind.engine,
  };
};
