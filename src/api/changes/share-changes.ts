/** Links to public pages as people, commands and files change them: of what, and until when. */
import { noteDateOf } from '../../model/notes.ts';
import type { ShareSettings } from '../../model/share.ts';
import type { Site } from '../../model/site.ts';
import { dayMs, isoTime } from '../../model/time.ts';
import { ValueError } from '../../model/values.ts';
import type { Definitions } from '../../store/definitions.ts';
import { zoneOf } from '../request/zone.ts';

/** The segment that a link is to show; null for an empty text. Throws ValueError. */
export const shareSegmentOf = (
  definitions: Pick<Definitions, 'find'>,
  { id, domain }: Pick<Site, 'id' | 'domain'>,
  typed: string,
): ShareSettings['segment'] => {
  if (typed === '') return null;
  if (definitions.find(id, 'segment', typed) !== undefined) return typed;
  throw new ValueError(`There is no segment ${typed} of ${domain}.`);
};

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
