/**
 * That a site itself made the id of a visitor: what it exported comes back as who it was. Without
 * the site's secret nobody can choose the hash of a visitor, whatever lines they import.
 */
import { hash } from 'node:crypto';
import type { Site } from './site.ts';

const proofChars = 16;

/**
 * Of a visitor as 16 hexadecimal digits; `day` is the UTC day that its id is of, null where it
 * lasts. Undefined where the site has no secret.
 */
export const visitorProof = (
  { id, visitorKey }: Pick<Site, 'id' | 'visitorKey'>,
  day: number | null,
  visitor: string,
): string | undefined =>
  visitorKey === ''
    ? undefined
    : hash('sha256', `own${visitorKey}\n${id}\n${day ?? 'lasts'}\n${visitor}`, 'hex').slice(0, proofChars);
