/** A site as somebody may read it, with what belongs to it. */
import type { Grant } from '../model/grant.ts';
import { isRollup, type Site } from '../model/site.ts';
import type { Definitions } from '../store/definitions.ts';
import type { Notes } from '../store/notes.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { definitionsOf, type SiteDefinitions } from './definitions.ts';
import { type ReadableSite, readableSite } from './endpoint.ts';

interface SiteViewParts {
  definitions: Definitions;
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
): ReadableSite =>
  readableSite(site, grant, now(), definitionsFor(grant, saved), {
    notes: () => notes.list(site.id),
    members: () => (isRollup(site) ? directory.members(site) : [site]),
  });

/** Names of other segments, such as those of other clients, are not for who was given one. */
const definitionsFor =
  ({ segment }: Pick<Grant, 'segment'>, saved: SiteDefinitions): SiteDefinitions =>
  kind =>
    segment === undefined || kind !== 'segment' ? saved(kind) : saved(kind).filter(({ name }) => name === segment);
