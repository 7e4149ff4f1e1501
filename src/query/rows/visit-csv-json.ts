/**
 * Visits as text: JSON for the list, CSV for the export. The threads that read the rows write it,
 * since the main thread has hits to take.
 */
import { type CsvCell, csvLine, withoutFormula } from '../../model/csv.ts';
import { majorUnits } from '../../model/currency.ts';
import { inPieces } from '../../model/pieces.ts';
import { isoTime } from '../../model/time.ts';
import { visitFieldNames, visitHeadings } from '../../model/visit-fields.ts';
import type { VisitForm } from '../query.ts';
import type { VisitRow } from './visit-row.ts';

/** Writes one visit; `currency` is the site's. */
export const visitWriter = (form: VisitForm, currency: string): ((row: VisitRow) => string) => {
  if (form === 'json') return row => JSON.stringify(visitJson(row));
  const text = form === 'raw csv' ? (value: string | null) => value : guarded;
  return row => csvLine(visitColumns.map(column => column.cell(row, text, currency)));
};

/** Written visits in pieces; those of JSON with commas between them. */
export const visitPieces = (written: readonly string[], form: VisitForm): string[] => [
  ...inPieces(form === 'json' ? written.map((text, i) => (i === 0 ? text : `,${text}`)) : written),
];

const secondsOf = ({ started, ended }: VisitRow): number => Math.round((ended - started) / 1000);
/** Width by height; null where the size is not known. */
const screenOf = ({ width, height }: VisitRow): string | null =>
  width === 0 && height === 0 ? null : `${width}x${height}`;

const visitJson = (row: VisitRow): object => {
  const { width: _, height: _h, otherRevenue, ...fields } = row;
  return {
    ...fields,
    started: isoTime(row.started),
    ended: isoTime(row.ended),
    seconds: secondsOf(row),
    screen: screenOf(row),
    ...(Object.keys(otherRevenue).length === 0 ? {} : { otherRevenue }),
  };
};

interface VisitColumn {
  name: string;
  /** `text` is for what a visitor may have chosen. */
  cell(row: VisitRow, text: (value: string | null) => string | null, currency: string): CsvCell;
}

const guarded = (value: string | null): string | null => value && withoutFormula(value);

/** The 23 columns, in their order. */
const visitColumns: readonly VisitColumn[] = [
  { name: 'Started', cell: row => isoTime(row.started) },
  { name: 'Ended', cell: row => isoTime(row.ended) },
  { name: 'Visitor', cell: row => row.visitor },
  ...visitFieldNames.map((name): VisitColumn => ({ name: visitHeadings[name], cell: (row, text) => text(row[name]) })),
  { name: 'Screen', cell: screenOf },
  { name: 'Pageviews', cell: row => row.pageviews },
  { name: 'Events', cell: row => row.events },
  { name: 'Bounce', cell: row => (row.bounce ? 'yes' : 'no') },
  { name: 'Seconds', cell: secondsOf },
  { name: 'Revenue', cell: (row, _, currency) => majorUnits(row.revenue, currency) },
  { name: 'Session id', cell: row => row.id },
];

export const visitCsvHeader = csvLine(visitColumns.map(({ name }) => name));
