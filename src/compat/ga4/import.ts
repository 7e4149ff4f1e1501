/** The events that Google Analytics 4 exports to BigQuery, as JSON with one event on a line. */
import { currencyCode, minorUnits } from '../../model/currency.ts';
import { isRecord } from '../../model/record.ts';
import type { VisitTextName } from '../../model/visit-fields.ts';
import type { RowFormat } from '../import-format.ts';
import { browserNamed, countryOfName, deviceNamed, orNull, systemNamed } from '../import-names.ts';
import { type Row, RowProblem } from '../import-rows.ts';

export const ga4Export: RowFormat = {
  ...{ name: 'ga4-bigquery', title: 'Google Analytics 4', kind: 'hits' },
  difference:
    'Google Analytics knows a visitor by a cookie for up to two years, and cuts sessions by the time zone of the property. Daybook counts a visitor on each UTC day, and cuts visits at midnight UTC and after 30 minutes.',
  isTable: names => names.has('event_timestamp') && names.has('event_name'),
  rows: site => row => {
    const at = Math.floor(Number(row.text('event_timestamp') || Number.NaN) / 1000);
    if (!(at >= 0)) throw new RowProblem('event_timestamp', 'there is no time');
    const parameters = parametersOf(row);
    const u = parameters.page_location;
    const event = eventOf(row, parameters, site.currency);
    if (event === null || typeof u !== 'string') return 'import-no-page';
    const visitor = row.text('user_pseudo_id') || `${at}`;
    const session = parameters.ga_session_id;
    const visit = session === undefined ? undefined : `${visitor} ${session}`;
    const hit = {
      u,
      r: parameters.page_referrer,
      ti: parameters.page_title,
      l: inside(row, 'device', 'language'),
      ...event,
    };
    return { at, address: '', userAgent: '', told: { visitor, lasts: true, visit, texts: textsOf(row) }, hit };
  },
};

type Parameters = Record<string, string | number>;

const parametersOf = (row: Row): Parameters => {
  const list = row.value('event_params');
  if (!Array.isArray(list)) throw new RowProblem('event_params', 'there is no list of parameters');
  const found: Parameters = {};
  for (const one of list) {
    if (!isRecord(one) || typeof one.key !== 'string' || !isRecord(one.value)) continue;
    const { string_value: text, int_value: whole, double_value: double, float_value: float } = one.value;
    const number = whole ?? double ?? float;
    if (typeof text === 'string') found[one.key] = text;
    else if (number !== undefined && number !== null) found[one.key] = Number(number);
  }
  return found;
};

/** A text within a record; empty where there is none. */
const inside = (row: Row, record: string, ...path: string[]): string => {
  let value: unknown = row.value(record);
  for (const name of path) value = isRecord(value) ? value[name] : undefined;
  return typeof value === 'string' && value !== '(not set)' && value !== '(none)' ? value : '';
};

const textsOf = (row: Row): Partial<Record<VisitTextName, string | null>> => {
  const system = inside(row, 'device', 'operating_system');
  return {
    browser: browserNamed(inside(row, 'device', 'web_info', 'browser') || inside(row, 'device', 'browser'), system),
    os: systemNamed(system),
    device: deviceNamed(inside(row, 'device', 'category')),
    country: countryOfName(inside(row, 'geo', 'country')),
    region: orNull(inside(row, 'geo', 'region')),
    city: orNull(inside(row, 'geo', 'city')),
  };
};

/** Parameters that are no properties of an event. */
const ownParameters =
  /^(page_|ga_|engaged_|session_|engagement_|term$|source$|medium$|campaign$|ignore_|batch_|debug_|entrances$)/;

/** Null for what is recorded beside page views and events. */
const eventOf = (row: Row, parameters: Parameters, ownCurrency: string): Record<string, unknown> | null => {
  const name = row.text('event_name');
  const p = Object.fromEntries(Object.entries(parameters).filter(([key]) => !ownParameters.test(key)));
  if (name === 'page_view') return {};
  if (name === 'session_start' || name === 'first_visit' || name === 'scroll' || name === 'form_start') return null;
  if (name === 'user_engagement') return { t: 'duration', d: Number(parameters.engagement_time_msec ?? 0) };
  if (name === 'click' && typeof p.link_url === 'string') return { t: 'outbound', n: p.link_url };
  if (name !== 'purchase') return { t: 'custom', n: name, p };
  const { value, currency: code, ...others } = p;
  const currency = (typeof code === 'string' && currencyCode(code)) || ownCurrency;
  return {
    t: 'revenue',
    n: name,
    v: minorUnits(Number(value ?? 0), currency),
    c: currency,
    p: others,
  };
};
