/**
 * A breakdown and its rows: a bar as long as the value's share of the largest one, and a link that
 * filters by it.
 */

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { DimensionName } from '../../../model/dimensions.ts';
import type { BreakdownRow } from '../../../query/query.ts';
import { useAddress } from '../address.tsx';
import type { Breakdown, TableAnswer, TableAnswerRow } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatShare } from '../format.ts';
import { metricText } from '../metric-text.ts';
import { dimensionLabel, valueLabel } from '../names.ts';
import { Glyph } from '../parts/glyph.tsx';
import { NumberHead } from '../parts/heads.tsx';
import { Icon } from '../parts/icon.tsx';
import { Explain } from '../parts/tips.tsx';
import { askedSearch, isFilteredTo, toggledValue } from '../question.ts';
import { t } from '../texts/text.ts';
import { type AnswerState, useAnswer } from '../use-answer.ts';
import type { PanelMetric } from './choices.ts';

/** Visitors by value, the most first. */
export interface ValueRows {
  data: { name: string; value: number }[];
}

/** The values of a dimension under the address's question; null asks nothing. */
export const useBreakdown = (dimension: DimensionName | null, limit: number): AnswerState<ValueRows> =>
  useBreakdownOf(askedSearch(useAddress().search), dimension, limit);

/**
 * The same under another question. By the specification a breakdown leaves revenue events out;
 * people look for all of them, so events come from the table.
 */
export const useBreakdownOf = (
  question: URLSearchParams,
  dimension: DimensionName | null,
  limit: number,
): AnswerState<ValueRows> => {
  const { site } = useSite();
  const isOfEvents = dimension === 'event';
  const asked = new URLSearchParams(question);
  asked.set('dimension', dimension ?? '');
  asked.set('limit', String(limit));
  if (isOfEvents) asked.set('metrics', 'visitors');
  const path = askSite(site, isOfEvents ? 'ext/table' : 'breakdown', asked);
  const answer = useAnswer<Breakdown | TableAnswer>(dimension === null ? null : path, dimension ?? '');
  return { ...answer, data: useMemo(() => answer.data && { data: answer.data.data.map(valueRow) }, [answer.data]) };
};

const valueRow = (row: BreakdownRow | TableAnswerRow): { name: string; value: number } => ({
  name: row.name,
  value: 'value' in row ? row.value : (row.visitors ?? 0),
});

export interface RowData {
  name: string;
  /** Visitors. */
  value: number;
  /** Of the metric that the rows are ranked by, where that is not the visitors. */
  measure?: number | null;
  /** Percentage of the visits that reached the chosen goal. */
  converted?: number | null;
  /** More about it, for people who point at it. */
  tip?: string;
}

interface RowsProps {
  dimension: DimensionName;
  rows: readonly RowData[];
  /** Visitors of the slice, for the shares; undefined until they are known. */
  total: number | undefined;
  hasShare?: boolean;
  /** What the bars and numbers are of. */
  metric?: PanelMetric;
  /** Head of the column of numbers; by default that of visitors. */
  head?: ComponentChildren;
  /** Name of the goal whose conversions have a column; null for none. */
  goal?: string | null;
}

export const Rows = ({
  dimension,
  rows,
  total,
  hasShare = true,
  metric = 'visitors',
  head,
  goal = null,
}: RowsProps) => {
  const most = Math.max(...rows.map(measureOf), 1);
  const isShared = hasShare && metric === 'visitors';
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">
            <Explain tip={t(`field.${dimension}.meaning`)}>{dimensionLabel(dimension)}</Explain>
          </th>
          {goal !== null && (
            <NumberHead figure={{ label: t('overview.converted'), meaning: t('overview.converted.note', { goal }) }} />
          )}
          {head ?? <NumberHead figure="row.value" />}
          {isShared && <NumberHead figure="row.share" class="share" />}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <Row
            key={row.name}
            {...{ dimension, row, most, metric }}
            share={!isShared ? null : total === undefined ? '' : formatShare(row.value, total)}
            isConverted={goal !== null}
          />
        ))}
      </tbody>
    </table>
  );
};

/** What a bar is as long as. Money given back has none. */
const measureOf = ({ value, measure }: RowData): number => Math.max(measure === undefined ? value : (measure ?? 0), 0);

interface RowProps {
  dimension: DimensionName;
  row: RowData;
  most: number;
  metric: PanelMetric;
  /** Null: there is no such column. */
  share: string | null;
  isConverted: boolean;
}

const Row = ({ dimension, row, most, metric, share, isConverted }: RowProps) => {
  const { search, href } = useAddress();
  const { site } = useSite();
  const { name, value, measure, converted, tip } = row;
  const isChosen = isFilteredTo(search, dimension, name);
  const next = toggledValue(search, dimension, name);
  const label = valueLabel(dimension, name);
  return (
    <tr class={isChosen ? 'chosen' : undefined} data-tip={tip}>
      <td class="row-name">
        <span class="row-bar" style={{ width: `${(measureOf(row) / most) * 100}%` }} />
        <a
          class="row-link"
          href={href(next)}
          data-label={label}
          title={label.length > cutChars ? label : undefined}
          aria-current={isChosen ? 'true' : undefined}
        >
          <Glyph field={dimension} value={name} />
          {label}
        </a>
        {dimension.endsWith('ath') && <PageLink path={name} />}
      </td>
      {isConverted && (
        <td class="number converted">{converted === undefined ? '' : metricText('conversionRate', converted, '')}</td>
      )}
      <td class="number">{metricText(metric, measure === undefined ? value : measure, site.currency)}</td>
      {share !== null && <td class="number share">{share}</td>}
    </tr>
  );
};

/** A longer label may be cut off. */
const cutChars = 28;

/** The page itself, on the measured site. */
const PageLink = ({ path }: { path: string }) => {
  const { site } = useSite();
  return (
    <a
      class="page-link"
      href={`https://${site.domain}${path}`}
      target="_blank"
      rel="noreferrer"
      aria-label={t('overview.openPage', { path })}
    >
      <Icon name="external" />
    </a>
  );
};
