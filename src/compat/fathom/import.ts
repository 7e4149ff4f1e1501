/** Fathom's export of page views. Its rows know of no visitors. */
import type { PastHit } from '../../model/past-hit.ts';
import type { RowFormat } from '../import-format.ts';
import { browserNamed, campaignIn, countryNamed, deviceNamed, orNull, pageOf, systemNamed } from '../import-names.ts';
import { type Row, RowProblem, timeIn } from '../import-rows.ts';

/** Page views of one row: an hour of one page, browser and place. */
const viewsMax = 100_000;

export const fathomExport: RowFormat = {
  ...{ name: 'fathom', title: 'Fathom', kind: 'hits' },
  difference:
    'The rows of Fathom know of no visitors. Page views of a UTC day with the same browser, system, device, place and source count as one visitor, so there are fewer than there were.',
  isTable: names => names.has('datetime') && names.has('pathname') && names.has('pageviews'),
  rows: site => row => {
    const at = timeIn(row, 'datetime');
    const views = Number(row.text('pageviews') || 0);
    if (!Number.isInteger(views) || views < 0 || views > viewsMax)
      throw new RowProblem('pageviews', `${JSON.stringify(row.text('pageviews'))} is not a number of page views`);
    const u = pageOf(row.text('hostname').replace(/^https?:\/\//, '') || site.domain, row.text('pathname'));
    const told = { visitor: visitorOf(row), texts: textsOf(row) };
    const hit = { u, r: referrerOf(row) };
    return Array.from({ length: views }, (): PastHit => ({ at, address: '', userAgent: '', told, hit: { ...hit } }));
  },
};

const visitorOf = (row: Row): string =>
  ['browser', 'operating_system', 'device_type', 'country_code', 'state', 'city', 'referrer_hostname', 'utm_source']
    .map(name => row.text(name))
    .join('\n');

const referrerOf = (row: Row): string => {
  const host = row.text('referrer_hostname').replace(/^https?:\/\//, '');
  return host === '' ? '' : `https://${host}${row.text('referrer_pathname')}`;
};

const textsOf = (row: Row) => ({
  browser: browserNamed(row.text('browser'), row.text('operating_system')),
  os: systemNamed(row.text('operating_system')),
  device: deviceNamed(row.text('device_type')),
  country: countryNamed(row.text('country_code')),
  region: orNull(row.text('state')),
  city: orNull(row.text('city')),
  ...campaignIn(row),
});
