/**
 * Hits as rows of Umami's table `website_event`, as CSV with a heading. The table has no place for
 * properties, traits, amounts or the time on a page.
 */
import { createHash } from 'node:crypto';
import { type CsvCell, csvLine } from '../model/csv.ts';
import type { ExportedVisit, StoredHit } from '../model/exported-visit.ts';

/** Umami's codes of `event_type`. Its links are pages that lead elsewhere: a click is an event. */
const [pageview, customEvent] = [1, 2];

/** A UUID that is always the same for a text. */
const uuidOf = (text: string): string => {
  const digest = createHash('sha256').update(text).digest('hex');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
};

/** What a row is made of. */
interface UmamiRow {
  hit: StoredHit;
  visit: ExportedVisit;
  websiteId: string;
  /** Of the hit in its visit. */
  number: number;
}

const visitIdOf = ({ visit: { visitor, from }, websiteId }: UmamiRow): string =>
  uuidOf(`${websiteId} ${visitor} ${from}`);

const columns: readonly (readonly [heading: string, value: (row: UmamiRow) => CsvCell])[] = [
  ['event_id', row => uuidOf(`${visitIdOf(row)} ${row.number}`)],
  ['website_id', ({ websiteId }) => websiteId],
  ['session_id', ({ visit, websiteId }) => uuidOf(`${websiteId} ${visit.visitor}`)],
  ['visit_id', visitIdOf],
  ['created_at', ({ hit }) => new Date(hit.at).toISOString().replace('T', ' ').replace('Z', '')],
  ['hostname', ({ hit }) => hit.page.hostname],
  ['url_path', ({ hit }) => hit.page.path],
  ['url_query', ({ hit }) => hit.page.query],
  ['page_title', ({ hit }) => hit.page.title],
  ['referrer_domain', ({ visit }) => visit.texts.referrer],
  ['utm_source', ({ visit }) => visit.texts.utmSource],
  ['utm_medium', ({ visit }) => visit.texts.utmMedium],
  ['utm_campaign', ({ visit }) => visit.texts.utmCampaign],
  ['utm_term', ({ visit }) => visit.texts.utmTerm],
  ['utm_content', ({ visit }) => visit.texts.utmContent],
  ['event_type', ({ hit }) => (hit.type === 'pageview' ? pageview : customEvent)],
  ['event_name', ({ hit }) => hit.page.event],
  ['browser', ({ visit }) => visit.texts.browser],
  ['os', ({ visit }) => visit.texts.os],
  ['device', ({ visit }) => visit.texts.device],
  ['screen', ({ visit: { width, height } }) => (width > 0 ? `${width}x${height}` : null)],
  ['language', ({ visit }) => visit.texts.language],
  ['country', ({ visit }) => visit.texts.country],
  ['region', ({ visit }) => visit.texts.region],
  ['city', ({ visit }) => visit.texts.city],
];

export const umamiHeading = csvLine(columns.map(([heading]) => heading));

export const umamiRowsOf = (visit: ExportedVisit, websiteId: string): string =>
  visit.hits
    .map((hit, number) => csvLine(columns.map(([, value]) => value({ hit, visit, websiteId, number }))))
    .join('');
