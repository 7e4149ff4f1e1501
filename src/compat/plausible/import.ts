/** The table `events_v2` of Plausible's ClickHouse, as JSONEachRow or as CSV with names. */
import { currencyCode, minorUnits } from '../../model/currency.ts';
import type { Site } from '../../model/site.ts';
import { clickIds } from '../../model/tracking-parameters.ts';
import type { VisitTextName } from '../../model/visit-fields.ts';
import type { RowFormat } from '../import-format.ts';
import {
  browserNamed,
  campaignIn,
  countryNamed,
  deviceNamed,
  orNull,
  pageOf,
  referrerAddress,
  systemNamed,
} from '../import-names.ts';
import { type Row, RowProblem, timeIn } from '../import-rows.ts';

export const plausibleExport: RowFormat = {
  ...{ name: 'plausible-ce', title: 'Plausible', kind: 'hits' },
  difference:
    'Plausible lets a visit go on over midnight. Daybook cuts visits at midnight UTC and after 30 minutes, and counts a visitor on each UTC day.',
  isTable: names => ['user_id', 'session_id', 'pathname', 'timestamp', 'name'].every(name => names.has(name)),
  siteColumn: { name: 'site_id', isAlias: null },
  rows: site => row => {
    const at = timeIn(row, 'timestamp');
    const u = pageOf(row.text('hostname') || site.domain, row.text('pathname'));
    const hit = { u, r: referrerAddress(row.text('referrer')), ...eventOf(row, site) };
    const told = { visitor: row.text('user_id'), visit: row.text('session_id') || undefined, texts: textsOf(row) };
    return { at, address: '', userAgent: '', told, hit };
  },
};

/** ClickHouse writes nothing as two zero bytes in a country. */
const clean = (text: string): string => text.replaceAll('\0', '').trim();

const textsOf = (row: Row): Partial<Record<VisitTextName, string | null>> => ({
  browser: browserNamed(row.text('browser'), row.text('operating_system')),
  os: systemNamed(row.text('operating_system')),
  device: deviceNamed(row.text('screen_size')),
  country: countryNamed(clean(row.text('country_code'))),
  region: orNull(clean(row.text('subdivision1_code'))),
  ...campaignIn(row),
  utmSource: sourceOf(row),
  clickId: isClickId(row.text('click_id_param')) ? row.text('click_id_param') : null,
});

const isClickId = (name: string): boolean => clickIds.some(known => known === name);

/**
 * A visit without a referrer that has a source all the same was tagged with `ref` or `source`.
 * Beside a referrer the source is mostly the name of that, so it tells nothing.
 */
export const sourceOf = (row: Row, source = 'referrer_source'): string | null =>
  orNull(row.text('utm_source') || (row.text('referrer') === '' ? taggedSource(row.text(source)) : ''));

const taggedSource = (source: string): string => (/^direct \/ none$/i.test(source) ? '' : source);

const eventOf = (row: Row, site: Site): Record<string, unknown> => {
  const name = row.text('name');
  const p = metaOf(row);
  if (name === 'pageview') return { p };
  if (name === 'engagement') {
    const scroll = Number(row.text('scroll_depth') || 255);
    return { t: 'duration', d: Number(row.text('engagement_time') || 0), ...(scroll <= 100 && { sc: scroll }) };
  }
  if (name === 'Outbound Link: Click' && typeof p.url === 'string') {
    const { url, ...others } = p;
    return { t: 'outbound', n: url, p: others };
  }
  const amount = row.text('revenue_source_amount');
  if (amount === '') return { t: 'custom', n: name, p };
  const currency = currencyCode(row.text('revenue_source_currency')) ?? site.currency;
  return { t: 'revenue', n: name, v: minorUnits(Number(amount), currency), c: currency, p };
};

const metaOf = (row: Row): Record<string, unknown> => {
  const [keys, values] = [listIn(row, 'meta.key'), listIn(row, 'meta.value')];
  return Object.fromEntries(keys.map((key, i) => [key, values[i] ?? '']));
};

/** A list as JSON has it, or as ClickHouse writes it into a CSV: `['a','it\'s']`. */
const listIn = (row: Row, name: string): string[] => {
  const value = row.value(name);
  if (Array.isArray(value)) return value.map(String);
  const text = row.text(name);
  if (text === '' || text === '[]') return [];
  if (!/^\[.*\]$/s.test(text)) throw new RowProblem(name, `${JSON.stringify(text.slice(0, 50))} is not a list`);
  return Array.from(text.matchAll(/'((?:[^'\\]|\\.|'')*)'/gs), ([, item]) =>
    item!.replaceAll("''", "'").replace(/\\(.)/gs, '$1'),
  );
};
