/** The products whose clients Daybook answers as they are: one list, which the server reads. */
import type { HitForm } from '../collect/forms.ts';
import { goatcounterForms } from './goatcounter/hits.ts';
import { matomoForms } from './matomo/hits.ts';
import { plausibleForms } from './plausible/hits.ts';

/** Umami's hits are told from ours by their shape (collect/umami.ts), so they need no form. */
export const hitForms: readonly HitForm[] = [...plausibleForms, ...goatcounterForms, ...matomoForms];
