/**
 * What is known of a visit from its first hit, one row per text. The collector's record, the
 * insert, the columns of a day, the dimensions, the CSV exports, the search over visits, and the
 * API with its description are made from this list.
 *
 * A new text takes two places: a row here, and a column of its name in schema.sql (`utm_id` for
 * `utmId`), there and in what converts older files (src/store/conversion.ts).
 * test/store/new-visit-field.test.ts adds one.
 */
import type { TextKind } from './text-kinds.ts';

export interface VisitText {
  /** Heading of its column and of its section in the CSV exports, or null where neither has it. */
  section: string | null;
  meaning: string;
  /** How a null value is named; null means that rows without a value are dropped. */
  nullName: string | null;
  /** Whether the sessions CSV and the API's list of visits show it. */
  isShown: boolean;
  /** Whether the search over visits (`q`) looks at it. */
  isSearched: boolean;
  /**
   * The allowance that new values are taken from (store/write/text-allowances.ts); null where
   * visitors cannot make them up.
   */
  textKind: TextKind | null;
  /**
   * Version of the schema that added it. Days sealed before have no such column, and it is null
   * there.
   */
  since?: number;
}

const shown = (section: string, meaning: string, more: Partial<VisitText> = {}) => ({
  ...{ section, meaning, nullName: null, isSearched: true, textKind: 'campaign' as const, ...more },
  isShown: true as const,
});
const hidden = (section: string | null, meaning: string, more: Partial<VisitText> = {}) => ({
  ...{ section, meaning, nullName: null, isSearched: false, textKind: 'campaign' as const, ...more },
  isShown: false as const,
});

export const directName = 'Direct / none';

export const visitTexts = {
  referrer: shown('Referrer', 'Domain the visit came from', { nullName: directName }),
  utmSource: shown('UTM source', 'utm_source of the landing page, else its ref, source or via', { isSearched: false }),
  utmMedium: hidden('UTM medium', 'utm_medium of the landing page'),
  utmCampaign: shown('Campaign', 'utm_campaign of the landing page'),
  utmTerm: hidden(null, 'utm_term of the landing page'),
  utmContent: hidden(null, 'utm_content of the landing page'),
  country: shown('Country', 'ISO 3166 alpha-2 code of the country of the address', { textKind: null }),
  region: shown('Region', 'First subdivision of the country', { textKind: null }),
  city: shown('City', 'City of the address', { textKind: null }),
  language: shown('Language', 'Language of the browser', { isSearched: false, textKind: 'other' }),
  browser: shown('Browser', 'Name of the browser', { textKind: 'other' }),
  os: shown('OS', 'Name of the operating system', { textKind: 'other' }),
  device: shown('Device', 'desktop, mobile, tablet or unknown; what bots fetch is kept apart, as crawlers', {
    isSearched: false,
    textKind: null,
  }),
  clickId: hidden(
    null,
    'Which parameter of an ad’s click came first in the landing page’s address, such as gclid; never its value',
    {
      textKind: null,
      since: 9,
    },
  ),
  network: hidden(null, 'Number and organisation of the address’s network, such as AS24940 Hetzner Online GmbH', {
    textKind: null,
    since: 9,
  }),
} as const satisfies Record<string, VisitText>;

export type VisitTextName = keyof typeof visitTexts;
export const visitTextNames = Object.keys(visitTexts) as VisitTextName[];

/**
 * The texts that a visit is shown with, in the order of the sessions CSV and of the API's
 * description.
 */
export type VisitFieldName =
  | 'identified'
  | 'entryPath'
  | 'exitPath'
  | { [N in VisitTextName]: (typeof visitTexts)[N]['isShown'] extends true ? N : never }[VisitTextName];

const shownTexts = visitTextNames.filter((name): name is VisitTextName & VisitFieldName => visitTexts[name].isShown);

export const visitFieldNames: readonly VisitFieldName[] = ['identified', 'entryPath', 'exitPath', ...shownTexts];

/** Their headings in the sessions CSV. */
export const visitHeadings = {
  identified: 'Identified',
  entryPath: 'Entry',
  exitPath: 'Exit',
  ...Object.fromEntries(shownTexts.map(name => [name, visitTexts[name].section])),
} as Record<VisitFieldName, string>;

export const searchedFields: readonly VisitFieldName[] = visitFieldNames.filter(
  name => !(name in visitTexts) || visitTexts[name as VisitTextName].isSearched,
);
