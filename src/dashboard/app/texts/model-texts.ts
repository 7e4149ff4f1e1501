/**
 * The English texts that the model has already, for the documents and the API: labels and meanings
 * of its tables, by key.
 */
import { dimensions } from '../../../model/dimensions.ts';
import {
  crawlFigures,
  eventFigures,
  goalFigures,
  outcomeFigures,
  propertyFigures,
  realtimeFigures,
  rowFigures,
  valueFigures,
  visitChips,
  visitFigures,
  vitalFigures,
} from '../../../model/figures.ts';
import { type Outcome, outcomes } from '../../../model/outcomes.ts';
import { publicParts } from '../../../model/public-parts.ts';
import { ranges } from '../../../model/ranges.ts';
import { type ReportBlock, reportBlocks } from '../../../model/reports.ts';
import { suspectReasons } from '../../../model/suspects.ts';
import { tableMetrics } from '../../../model/table-metrics.ts';

interface Row {
  label: string;
  meaning: string;
}
type Keys<Prefix extends string, Rows> = `${Prefix}.${keyof Rows & string}${'' | '.meaning'}`;

const labelled = <const Prefix extends string, Rows extends Readonly<Record<string, Row>>>(
  prefix: Prefix,
  rows: Rows,
) =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([name, { label, meaning }]) => [
      [`${prefix}.${name}`, label],
      [`${prefix}.${name}.meaning`, meaning],
    ]),
  ) as Record<Keys<Prefix, Rows>, string>;

const mapped = <const Prefix extends string, Name extends string, const End extends string, R>(
  prefix: Prefix,
  rows: Readonly<Record<Name, R>>,
  end: End,
  textOf: (row: R) => string,
) =>
  Object.fromEntries(Object.entries<R>(rows).map(([name, row]) => [`${prefix}.${name}${end}`, textOf(row)])) as Record<
    `${Prefix}.${Name}${End}`,
    string
  >;

export const modelTexts = {
  ...labelled('row', rowFigures),
  ...labelled('event', eventFigures),
  ...labelled('property', propertyFigures),
  ...labelled('value', valueFigures),
  ...labelled('goal', goalFigures),
  ...labelled('visit', visitFigures),
  ...labelled('visits', visitChips),
  ...labelled('realtime', realtimeFigures),
  ...labelled('vital', vitalFigures),
  ...labelled('crawl', crawlFigures),
  ...labelled('outcomes', outcomeFigures),
  ...labelled('metric', tableMetrics),
  ...labelled('suspect', suspectReasons),
  ...mapped('suspect', suspectReasons, '.note', row => row.note),
  ...labelled('part', publicParts),
  ...mapped('field', dimensions, '.meaning', row => row.meaning),
  ...mapped('range', ranges, '', ({ label }) => label),
  ...mapped<'reportBlock', ReportBlock, '', string>('reportBlock', reportBlocks, '', label => label),
  ...mapped<'outcome', Outcome, '', { meaning: string }>('outcome', outcomes, '', row => row.meaning),
};
