/**
 * What Matomo's `Live.getLastVisitsDetails` answers, as JSON: a list of visits with their actions.
 * Its actions become the events that live hits become (hits.ts), by the same names.
 */
import { minorUnits } from '../../model/currency.ts';
import type { PastHit } from '../../model/past-hit.ts';
import { isRecord } from '../../model/record.ts';
import type { Site } from '../../model/site.ts';
import type { VisitTextName } from '../../model/visit-fields.ts';
import type { RowFormat } from '../import-format.ts';
import { browserNamed, countryNamed, deviceNamed, orNull, referrerAddress, systemNamed } from '../import-names.ts';
import { type Row, RowProblem, screenOf } from '../import-rows.ts';
import { given } from './hits.ts';

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
    const page = { r: referrerOf(row), l: row.text('languageCode'), ...screenOf(row.text('resolution')) };
    const orders = new Set<string>();
    return actions.flatMap((action: unknown): PastHit[] => {
      if (!isRecord(action)) throw new RowProblem('actionDetails', 'an action is not an object');
      const at = Number(action.timestamp) * 1000;
      if (!(at >= 0)) throw new RowProblem('actionDetails', 'an action has no timestamp');
      const event = eventOf(action, site);
      if (event === null || isRepeated(action, orders)) return [];
      return [{ at, address: '', userAgent: '', told, hit: { ...page, u: urlOf(action, site), ...event } }];
    });
  },
};

/** An order counts once, however often its last page was shown. */
const isRepeated = (action: Record<string, unknown>, orders: Set<string>): boolean => {
  const id = action.type === 'ecommerceOrder' ? textIn(action, 'orderId') : '';
  if (id === '' || !orders.has(id)) {
    orders.add(id);
    return false;
  }
  return true;
};

/** Without an address, the engine or network is named by its own, and a website by its host. */
const referrerOf = (row: Row): string =>
  referrerAddress(
    row.text('referrerUrl') ||
      row.text('referrerSearchEngineUrl') ||
      row.text('referrerSocialNetworkUrl') ||
      (row.text('referrerType') === 'website' ? row.text('referrerName') : ''),
  );

/** The unknown has a code of its own: its name is in the language of whoever exports. */
const textsOf = (row: Row): Partial<Record<VisitTextName, string | null>> => {
  const named = (name: string, code: string): string => (row.text(code) === 'UNK' ? '' : row.text(name));
  const system = named('operatingSystemName', 'operatingSystemCode');
  return {
    browser: browserNamed(named('browserName', 'browserCode'), system),
    os: systemNamed(system),
    device: deviceNamed(row.text('deviceType')),
    country: countryNamed(row.text('countryCode')),
    region: knownPlace(row.text('region')),
    city: knownPlace(row.text('city')),
    ...campaignOf(row),
  };
};

const knownPlace = (name: string): string | null => (name === 'Unknown' ? null : orNull(name));

/**
 * Matomo takes campaigns out of the addresses. By itself it tells name and keyword, and its plugin
 * for campaigns all of it.
 */
const campaignOf = (row: Row): Partial<Record<VisitTextName, string | null>> => {
  if (row.text('campaignName') !== '')
    return {
      utmCampaign: row.text('campaignName'),
      utmSource: orNull(row.text('campaignSource')),
      utmMedium: orNull(row.text('campaignMedium')),
      utmTerm: orNull(row.text('campaignKeyword')),
      utmContent: orNull(row.text('campaignContent')),
    };
  if (row.text('referrerType') !== 'campaign' || row.text('referrerName') === '') return {};
  return { utmCampaign: row.text('referrerName'), utmTerm: orNull(row.text('referrerKeyword')) };
};

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
  const text = (name: string): string | undefined => textIn(action, name) || undefined;
  const number = (name: string): number | undefined => (text(name) === undefined ? undefined : Number(text(name)));
  const custom = (n: string | undefined, p: Record<string, unknown>): Record<string, unknown> => ({
    t: 'custom',
    n,
    p: given(p),
  });
  switch (action.type) {
    case 'action':
      return { ti: text('pageTitle') };
    case 'event':
      return custom(text('eventCategory'), {
        ...{ action: text('eventAction'), name: text('eventName'), value: number('eventValue') },
      });
    case 'outlink':
      return { t: 'outbound', n: text('url') };
    case 'download':
      return custom('File Download', { url: text('url') });
    case 'search':
      return custom('Site search', {
        keyword: text('siteSearchKeyword') ?? text('pageTitle'),
        category: text('siteSearchCategory'),
        results: number('siteSearchCount'),
      });
    case 'ecommerceOrder':
      return { ...paid(number('revenue') ?? 0, site), n: 'Order', p: given({ order: text('orderId') }) };
    case 'goal': {
      // Only its number is known of a live hit.
      const [id, name, amount] = [text('goalId'), text('goalName'), number('revenue') ?? 0];
      const goal = custom(id === undefined ? (name ?? 'Goal') : `Goal ${id}`, { name });
      return amount > 0 ? { ...goal, ...paid(amount, site) } : goal;
    }
    default:
      return null;
  }
};

/** Amounts are of the site's currency. */
const paid = (amount: number, { currency }: Site): Record<string, unknown> => ({
  ...{ t: 'revenue', v: minorUnits(amount, currency), c: currency },
});
