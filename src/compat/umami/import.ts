/**
 * Umami's table `website_event`, as its databases and its cloud write it. Its tables `session`,
 * `event_data` and `revenue` say more where they are brought along.
 */
import { currencyCode, minorUnits } from '../../model/currency.ts';
import type { PastHit } from '../../model/past-hit.ts';
import type { Site } from '../../model/site.ts';
import { snakeCase } from '../../model/snake-case.ts';
import { type VisitTextName, visitTextNames } from '../../model/visit-fields.ts';
import type { Meaning, RowFormat } from '../import-format.ts';
import { browserNamed, countryNamed, deviceNamed, orNull, pageOf, systemNamed } from '../import-names.ts';
import { type Row, RowProblem, type SideTables, screenOf, timeIn } from '../import-rows.ts';

const has = (names: ReadonlySet<string>, ...wanted: string[]): boolean => wanted.every(name => names.has(name));

const eventIdOf = (names: ReadonlySet<string>): string =>
  names.has('website_event_id') ? 'website_event_id' : 'event_id';

export const umamiExport: RowFormat = {
  ...{ name: 'umami', title: 'Umami', kind: 'hits' },
  difference:
    'Umami takes somebody who comes back within a month for the same visitor. Daybook counts a visitor on each UTC day, and cuts visits at midnight UTC and after 30 minutes.',
  isTable: names => has(names, 'session_id', 'url_path', 'event_type', 'created_at'),
  siteColumn: { name: 'website_id', isAlias: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i },
  sides: {
    data: names => (has(names, 'data_key', 'string_value') ? eventIdOf(names) : undefined),
    revenue: names => (has(names, 'event_id', 'currency', 'revenue') ? 'event_id' : undefined),
    session: names => (has(names, 'session_id', 'browser') && !names.has('url_path') ? 'session_id' : undefined),
  },
  rows(site, sides) {
    const sessionOf = sessionReader(sides);
    return row => meaningOf(row, site, sides, sessionOf(row));
  },
};

/** What is known of the visit: in the row itself, or of its session. */
const sessionReader = (sides: SideTables): ((row: Row) => (name: string) => string) => {
  let [id, session] = ['', undefined as Readonly<Record<string, string>> | undefined];
  return row => {
    const sessionId = row.text('session_id');
    if (sessionId !== id) [id, session] = [sessionId, sides.rows('session', sessionId)[0]];
    return name => row.text(name) || (session?.[name] ?? '');
  };
};

const meaningOf = (row: Row, site: Site, sides: SideTables, text: (name: string) => string): Meaning => {
  const at = timeIn(row, 'created_at');
  const session = row.text('session_id');
  if (session === '') throw new RowProblem('session_id', 'there is no session');
  const event = eventOf(row, sides);
  if (event === null) return 'import-no-page';
  const hit = {
    ...event,
    u: pageOf(text('hostname') || site.domain, row.text('url_path'), row.text('url_query')),
    r: referrerOf(row),
    ti: row.text('page_title'),
    l: text('language'),
    ...screenOf(text('screen')),
  };
  const visit = row.text('visit_id') || undefined;
  const told = { visitor: session, lasts: true, ...(visit !== undefined && { visit }), texts: textsOf(row, text) };
  return { at, address: '', userAgent: '', told, hit } satisfies PastHit;
};

const referrerOf = (row: Row): string => {
  const domain = row.text('referrer_domain');
  return domain === '' ? '' : `https://${domain}${row.text('referrer_path')}`;
};

const campaigns = visitTextNames.filter(name => name.startsWith('utm')).map(name => [name, snakeCase(name)] as const);

const textsOf = (row: Row, text: (name: string) => string): Partial<Record<VisitTextName, string | null>> => {
  const texts: Partial<Record<VisitTextName, string | null>> = {
    browser: browserNamed(text('browser'), text('os')),
    os: systemNamed(text('os')),
    device: deviceNamed(text('device')),
    country: countryNamed(text('country')),
    region: orNull(text('region') || text('subdivision1')),
    city: orNull(text('city')),
  };
  if (!row.text('url_query').includes('utm_'))
    for (const [name, column] of campaigns) if (row.text(column) !== '') texts[name] = row.text(column);
  return texts;
};

/** Null for what is no hit of a page: links and pixels, which have pages of their own. */
const eventOf = (row: Row, sides: SideTables): Record<string, unknown> | null => {
  const type = row.text('event_type') || '1';
  if (type === '1') return {};
  if (type === '5') return { t: 'vitals', p: vitalsOf(row) };
  if (type === '3' || type === '4') return null;
  if (type !== '2') throw new RowProblem('event_type', `${JSON.stringify(type)} is not a type of event`);
  const id = row.text('event_id');
  const name = row.text('event_name');
  const p = propertiesOf(sides.rows('data', id), row.text('tag'));
  const [paid] = sides.rows('revenue', id);
  if (paid === undefined) return { t: 'custom', n: name, p };
  const currency = currencyCode(paid.currency ?? '') ?? 'USD';
  const { revenue: _, currency: __, ...others } = p;
  return {
    t: 'revenue',
    n: name,
    v: minorUnits(Number(paid.revenue), currency),
    c: currency,
    p: others,
  };
};

const vitalsOf = (row: Row): Record<string, number> => {
  const names = ['lcp', 'inp', 'cls', 'fcp', 'ttfb'].filter(name => row.text(name) !== '');
  return Object.fromEntries(names.map(name => [name, Number(row.text(name))]));
};

const propertiesOf = (rows: readonly Readonly<Record<string, string>>[], tag: string): Record<string, unknown> => {
  const found: Record<string, unknown> = tag === '' ? {} : { tag };
  for (const row of rows) {
    const key = row.data_key ?? '';
    const text = row.string_value ?? '';
    if (row.data_type === '2') found[key] = Number(row.number_value || text);
    else if (row.data_type === '3') found[key] = text === 'true' || text === '1';
    else found[key] = row.data_type === '4' ? row.date_value || text : text;
  }
  return found;
};
