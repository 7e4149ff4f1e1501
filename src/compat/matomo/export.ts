/** What Matomo's `Live.getLastVisitsDetails` answers, as JSON: a list of visits with their actions. */

import { currencyDigits } from '../../model/currency.ts';
import type { PastHit } from '../../model/past-hit.ts';
import { isRecord } from '../../model/record.ts';
import type { Site } from '../../model/site.ts';
import type { VisitTextName } from '../../model/visit-fields.ts';
import type { RowFormat } from '../export-format.ts';
import { browserNamed, countryNamed, deviceNamed, orNull, systemNamed } from '../export-names.ts';
import { type Row, RowProblem, screenOf } from '../export-rows.ts';

export const matomoExport: RowFormat = {
  ...{ name: 'matomo', title: 'Matomo', kind: 'hits' },
  difference:
    'Matomo lets a visit go on over midnight, and keeps a visitor for 13 months. Daybook cuts visits at midnight UTC and after 30 minutes, and counts a visitor on each UTC day.',
  isTable: names => names.has('actionDetails') && names.has('idVisit'),
  rows: site => row => {
    const actions = row.value('actionDetails');
    if (!Array.isArray(actions)) throw new RowProblem('actionDetails', 'there is no list of actions');
    const visitor = row.text('visitorId') || row.text('fingerprint') || row.text('idVisit');
    const told = { visitor, lasts: true, visit: row.text('idVisit'), texts: textsOf(row) };
    const page = { r: row.text('referrerUrl'), l: row.text('languageCode'), ...screenOf(row.text('resolution')) };
    return actions.flatMap((action: unknown): PastHit[] => {
      if (!isRecord(action)) throw new RowProblem('actionDetails', 'an action is no object');
      const at = Number(action.timestamp) * 1000;
      if (!(at >= 0)) throw new RowProblem('actionDetails', 'an action has no timestamp');
      const event = eventOf(action, site);
      if (event === null) return [];
      return [{ at, address: '', userAgent: '', told, hit: { ...page, u: urlOf(action, site), ...event } }];
    });
  },
};

const textsOf = (row: Row): Partial<Record<VisitTextName, string | null>> => ({
  browser: browserNamed(row.text('browserName')),
  os: systemNamed(row.text('operatingSystemName')),
  device: deviceNamed(row.text('deviceType')),
  country: countryNamed(row.text('countryCode')),
  region: orNull(row.text('region')),
  city: orNull(row.text('city')),
  ...(row.text('campaignName') !== '' && {
    utmCampaign: row.text('campaignName'),
    utmSource: orNull(row.text('campaignSource')),
    utmMedium: orNull(row.text('campaignMedium')),
    utmTerm: orNull(row.text('campaignKeyword')),
    utmContent: orNull(row.text('campaignContent')),
  }),
});

const textIn = (action: Record<string, unknown>, name: string): string => {
  const value = action[name];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
};

/** Actions such as goals have no page: the address of the site stands for it. */
const urlOf = (action: Record<string, unknown>, site: Site): string => {
  const isElsewhere = action.type === 'outlink' || action.type === 'download';
  const url = isElsewhere ? '' : textIn(action, 'url');
  return /^https?:\/\//.test(url) ? url : `https://${site.domain}/`;
};

/** Null for what is neither a page view nor an event. */
const eventOf = (action: Record<string, unknown>, site: Site): Record<string, unknown> | null => {
  const text = (name: string): string => textIn(action, name);
  switch (action.type) {
    case 'action':
      return { ti: text('pageTitle') };
    case 'event': {
      const all = { action: text('eventAction'), name: text('eventName'), value: text('eventValue') };
      const p = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
      return { t: 'custom', n: text('eventCategory'), p };
    }
    case 'outlink':
      return { t: 'outbound', n: text('url') };
    case 'download':
      return { t: 'custom', n: 'File download', p: { url: text('url') } };
    case 'search':
      return { t: 'custom', n: 'Search', p: { keyword: text('siteSearchKeyword') || text('pageTitle') } };
    case 'ecommerceOrder': {
      const currency = site.currency;
      const v = Math.round(Number(action.revenue) * 10 ** currencyDigits(currency));
      return { t: 'revenue', n: 'Order', v, c: currency, p: { order: text('orderId') } };
    }
    case 'goal':
      return { t: 'custom', n: text('goalName') || 'Goal' };
    default:
      return null;
  }
};
