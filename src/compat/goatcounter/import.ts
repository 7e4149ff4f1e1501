/** GoatCounter's CSV of page views, in the versions 1 and 2 of its format. */
import type { VisitTextName } from '../../model/visit-fields.ts';
import type { RowFormat } from '../import-format.ts';
import { browserNamed, pageOf, placeNamed, systemNamed } from '../import-names.ts';
import { type Row, timeIn } from '../import-rows.ts';
import { storedReferrer } from './referrers.ts';

export const goatcounterExport: RowFormat = {
  ...{ name: 'goatcounter', title: 'GoatCounter', kind: 'hits' },
  difference:
    'GoatCounter counts a visitor once for each page within eight hours. Daybook counts a visitor on each UTC day, and cuts visits at midnight UTC and after 30 minutes.',
  isTable: names => (names.has('2Path') || names.has('1Path')) && names.has('Session') && names.has('Date'),
  rows: site => row => {
    if (!['', '0', 'false'].includes(row.text('Bot').toLowerCase())) return 'automation';
    const at = timeIn(row, 'Date');
    const path = row.text('2Path') || row.text('1Path');
    const isEvent = ['true', '1', 't'].includes(row.text('Event').toLowerCase());
    const [width = ''] = row.text('Screen size').split(',');
    const { address: r, texts } = storedReferrer(row.text('Referrer'), row.text('Referrer scheme'));
    const hit = {
      ...(isEvent ? { t: 'custom', n: path, u: pageOf(site.domain, '/') } : { u: pageOf(site.domain, path) }),
      r,
      ti: row.text('Title'),
      w: Number(width) || 0,
    };
    const session = row.text('Session').replace(/^[0-]+$/, '') || `${at} ${path}`;
    const told = { visitor: session, texts: { ...textsOf(row), ...texts } };
    return { at, address: '', userAgent: row.text('UserAgent'), told, hit };
  },
};

const textsOf = (row: Row): Partial<Record<VisitTextName, string | null>> => ({
  ...placeNamed(row.text('Location')),
  ...(row.text('UserAgent') === '' && {
    browser: browserNamed(row.text('Browser'), row.text('System')),
    os: systemNamed(row.text('System')),
  }),
});
