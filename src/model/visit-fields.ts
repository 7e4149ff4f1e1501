/**
 * The texts that a visit is read with, one row each: its heading in the sessions CSV, and whether the search over visits (`q`) looks at it.
 * Their order is that of the CSV and of the API's description. Each is stored in the column of its name, from which query/rows/visit-row.ts reads it.
 */
import type { ColumnName } from './columns.ts';

export interface VisitField {
  heading: string;
  searched: boolean;
}

const row = (heading: string, searched: boolean): VisitField => ({ heading, searched });

export const visitFields = {
  identified: row('Identified', true),
  entryPath: row('Entry', true),
  exitPath: row('Exit', true),
  referrer: row('Referrer', true),
  utmSource: row('UTM source', false),
  utmCampaign: row('Campaign', true),
  country: row('Country', true),
  region: row('Region', true),
  city: row('City', true),
  language: row('Language', false),
  browser: row('Browser', true),
  os: row('OS', true),
  device: row('Device', false),
} as const satisfies Partial<Record<ColumnName, VisitField>>;

export type VisitFieldName = keyof typeof visitFields;
export const visitFieldNames = Object.keys(visitFields) as VisitFieldName[];
export const searchedFields: readonly VisitFieldName[] = visitFieldNames.filter(name => visitFields[name].searched);
