/** The one list of what can be imported. */

import { fathomExport } from '../compat/fathom/import.ts';
import { ga4Export } from '../compat/ga4/import.ts';
import { ga4Sums } from '../compat/ga4/sums.ts';
import { goatcounterExport } from '../compat/goatcounter/import.ts';
import { goatcounterSums } from '../compat/goatcounter/sums.ts';
import type { Format } from '../compat/import-format.ts';
import { matomoExport } from '../compat/matomo/import.ts';
import { plausibleExport } from '../compat/plausible/import.ts';
import { plausibleSums } from '../compat/plausible/sums.ts';
import { simpleAnalyticsExport } from '../compat/simple-analytics/import.ts';
import { umamiExport } from '../compat/umami/import.ts';
import { combined, jsonLog, ndjson } from './line-formats.ts';

/** Tables come first: JSON that is none of theirs is taken for lines of our own. */
export const formats: readonly Format[] = [
  umamiExport,
  goatcounterExport,
  goatcounterSums,
  matomoExport,
  plausibleExport,
  plausibleSums,
  simpleAnalyticsExport,
  fathomExport,
  ga4Export,
  ga4Sums,
  jsonLog,
  ndjson,
  combined,
];

export const formatNames: readonly string[] = formats.map(({ name }) => name);

export const formatNamed = (name: string): Format | undefined => formats.find(format => format.name === name);
