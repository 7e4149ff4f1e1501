/** A site as somebody may read it, with what belongs to it. */
import type { Grant } from '../model/grant.ts';
import { isRollup, planRetentionDays, type Site } from '../model/site.ts';
import type { Definitions } from '../store/definitions.ts';
import type { Notes } from '../store/notes.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { definitionsOf, type SiteDefinitions } from './definitions.ts';
import type { ReadableSite } from './endpoint.ts';
import { readableFrom } from './request/window.ts';
import { zoneOf } from './request/zone.ts';

interface SiteViewParts {
  definitions: Pick<Definitions, 'list'>;
  directory: Pick<SiteDirectory, 'members'>;
  notes: Pick<Notes, 'list'>;
  /** UTC milliseconds. */
  now: () => number;
}

/** `saved` are its definitions, where they are at hand already. */
export const viewOfSite = (
  { definitions, directory, notes, now }: SiteViewParts,
  site: Site,
  grant: Pick<Grant, 'account' | 'hidden' | 'segment'>,
  saved = definitionsOf(definitions, site.id),
): ReadableSite => {
  const [zone, at, retentionDays] = [zoneOf(site.timezone), now(), planRetentionDays[grant.account.plan]];
  return {
    ...{ site, zone, now: at, hidden: grant.hidden },
    readableFrom: readableFrom({ zone, now: at, retentionDays }),
    definitions: definitionsFor(grant, saved),
    notes: () => notes.list(site.id),
    members: () => (isRollup(site) ? directory.members(site) : [site]),
  };
};

/** Names of other segments, such as those of other clients, are not for who was given one. */
const definitionsFor =
  ({ segment }: Pick<Grant, 'segment'>, saved: SiteDefinitions): SiteDefinitions =>
  kind =>
    segment === undefined || kind !== 'segment' ? saved(kind) : saved(kind).filter(({ name }) => name === segment);
