/** The products whose clients Daybook answers as they are: one list, which the server reads. */
import type { HitForm } from '../collect/forms.ts';
import type { ReadByShape } from '../collect/told.ts';
import { goatcounterForms } from './goatcounter/hits.ts';
import { matomoForms } from './matomo/hits.ts';
import { plausibleForms } from './plausible/hits.ts';
import { plausible } from './plausible/questions.ts';
import type { QuestionFamily } from './question-family.ts';
import { readUmami, umamiForms } from './umami/hits.ts';
import { umami } from './umami/questions.ts';

/** The tracker's scripts for pages with other products' tags: files of dist/ by their paths. */
export const tagScripts: Readonly<Record<string, string>> = {
  '/script.js': 'script.js',
  '/umami.js': 'script.js',
  '/js/:script': 'plausible.js',
  '/count.js': 'count.js',
  '/matomo.js': 'matomo.js',
  '/piwik.js': 'matomo.js',
};

export const hitForms: readonly HitForm[] = [...plausibleForms, ...goatcounterForms, ...matomoForms, ...umamiForms];

/** A product whose hits come to our own paths, too. */
export const readByShape: ReadByShape = readUmami;

export const questionFamilies: readonly QuestionFamily[] = [plausible, umami];
