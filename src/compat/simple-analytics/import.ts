/** Simple Analytics' export of raw data, as CSV or JSON. */
import type { RowFormat } from '../import-format.ts';
import {
  browserNamed,
  campaignIn,
  countryNamed,
  deviceNamed,
  pageOf,
  referrerAddress,
  systemNamed,
} from '../import-names.ts';
import { type Row, timeIn } from '../import-rows.ts';

export const simpleAnalyticsExport: RowFormat = {
  ...{ name: 'simple-analytics', title: 'Simple Analytics', kind: 'hits' },
  difference:
    'Simple Analytics counts page views without a referrer of the own site as visitors. Daybook counts the sessions of the file as the visitors of each UTC day.',
  isTable: names => names.has('added_iso') && names.has('path'),
  rows: site => row => {
    if (row.text('is_robot') === 'true' || row.text('is_robot') === '1') return 'automation';
    const at = timeIn(row, 'added_iso');
    const name = row.text('datapoint') || 'pageview';
    const hit = {
      u: pageOf(row.text('hostname') || site.domain, row.text('path'), row.text('query')),
      r: referrerAddress(row.text('document_referrer')),
      l: row.text('lang_language') || row.text('language'),
      w: Number(row.text('viewport_width')) || 0,
      h: Number(row.text('viewport_height')) || 0,
      ...(name === 'pageview' ? {} : { t: 'custom', n: name }),
    };
    const visitor = row.text('session_id') || row.text('uuid') || `${at} ${row.text('path')}`;
    return { at, address: '', userAgent: row.text('user_agent'), told: { visitor, texts: textsOf(row) }, hit };
  },
};

const textsOf = (row: Row) => ({
  country: countryNamed(row.text('country_code')),
  browser: browserNamed(row.text('browser_name'), row.text('os_name')),
  os: systemNamed(row.text('os_name')),
  device: deviceNamed(row.text('device_type')),
  ...(row.text('utm_source') !== '' && campaignIn(row)),
});
