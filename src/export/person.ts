/** A visit as one line of JSON for the person whose it is, with all that is stored of it. */

import type { ExportedVisit, StoredHit } from '../model/exported-visit.ts';
import { isoTime, utcDayName } from '../model/time.ts';

/** `firstDay` is the UTC day on which a visitor with a cookie first came, where that is kept. */
export const personLine = (visit: ExportedVisit, firstDay: number | null): string =>
  `${JSON.stringify({
    visitor: visit.visitor,
    identityMode: visit.isPersistent ? 'cookie' : 'hash',
    ...(firstDay !== null && { firstDay: utcDayName(firstDay) }),
    started: isoTime(visit.from),
    ended: isoTime(visit.to),
    traits: JSON.parse(visit.traits ?? '{}') as object,
    ...told(visit.texts),
    ...(visit.width > 0 && { width: visit.width, height: visit.height }),
    hits: visit.hits.map(hitOf),
  })}\n`;

const hitOf = ({ at, type, page, secondsOnPage, scroll, revenue, properties }: StoredHit) => ({
  at: isoTime(at),
  type,
  ...told({ ...page, secondsOnPage, scroll, revenue }),
  ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
});

/** Without what nobody told. */
const told = <T>(values: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
