/** When something of a site ends that ends with a day. */
import { noteDateOf } from '../model/notes.ts';
import type { Site } from '../model/site.ts';
import { dayMs, isoTime } from '../model/time.ts';
import { ValueError } from '../model/values.ts';
import { zoneOf } from './request/zone.ts';

/** The end of a local day of the site; null for an empty text. Throws ValueError. */
export const expiryOf = (typed: string, site: Pick<Site, 'timezone'>, now: number): number | null => {
  if (typed === '') return null;
  const expiresAt = endOfDay(noteDateOf(typed), site);
  if (expiresAt <= now) throw new ValueError('This day is over.');
  return expiresAt;
};

/** When a local day of the site ends, `day` as 2026-12-31. */
export const endOfDay = (day: string, { timezone }: Pick<Site, 'timezone'>): number =>
  zoneOf(timezone).instant(Date.parse(day) + dayMs);

/** The local day that ends then. */
export const lastDayOf = (expiresAt: number, { timezone }: Pick<Site, 'timezone'>): string =>
  isoTime(zoneOf(timezone).local(expiresAt - 1)).slice(0, 10);
