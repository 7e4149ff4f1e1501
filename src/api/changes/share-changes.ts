/** Links to public pages as people, commands and files change them. */
import type { ShareSettings } from '../../model/share.ts';
import type { Site } from '../../model/site.ts';
import { ValueError } from '../../model/values.ts';
import type { Definitions } from '../../store/definitions.ts';

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
