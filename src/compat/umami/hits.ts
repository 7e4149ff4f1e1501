/**
 * The path of Umami's hits, for our tracker behind it: a proxy may hand on no other. The hits
 * themselves are told from ours by their shape (collect/umami.ts).
 */
import { type HitForm, noHit } from '../../collect/forms.ts';
import { notAllowedReply } from '../../collect/replies.ts';

export const umamiForms: readonly HitForm[] = [
  { method: 'GET', path: '/api/send', read: () => noHit(notAllowedReply('POST, OPTIONS')) },
];
