/**
 * A breakdown and its rows: a bar as long as the value's share of the largest one, and a link that
 * filters by it.
 */

import { useMemo } from 'preact/hooks';
import type { DimensionName } from '../../../model/dimensions.ts';
import type { BreakdownRow } from '../../../query/query.ts';
import { useAddress } from '../address.tsx';
import type { Breakdown, TableAnswer, TableAnswerRow } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatDelta, formatNumber, formatShare } from '../format.ts';
import { metricText } from '../metric-text.ts';
import { dimensionLabel, valueLabel } from '../names.ts';
import { Glyph } from '../parts/glyph.tsx';
import { figureText, NumberHead } from '../parts/heads.tsx';
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
  /** Minor units. */
  revenue?: number | null;
  /** Of the visitors since the window compared with, in percent; null where there were none. */
  delta?: number | null;
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
  /** The search that ranks the rows by a metric, where that can be chosen. */
  rankedBy?: (metric: PanelMetric) => URLSearchParams;
  /** There are columns of money and of changes, which may come later than the rows. */
  hasRevenue?: boolean;
  hasChange?: boolean;
  /** Name of the goal whose conversions have a column; null for none. */
  goal?: string | null;
}

export const Rows = ({
  dimension,
  rows,
  total,
  hasShare = true,
  metric = 'visitors',
  rankedBy,
  hasRevenue = false,
  hasChange = false,
  goal = null,
}: RowsProps) => {
  const most = Math.max(...rows.map(measureOf), 1);
  const isShared = hasShare && metric === 'visitors';
  const others = othersOf(metric, hasRevenue);
  const headOf = (name: PanelMetric) => <MetricHead key={name} name={name} metric={metric} rankedBy={rankedBy} />;
  return (
    <table class={metric === 'revenue' ? 'rows of-money' : 'rows'}>
      <thead>
        <tr>
          <th scope="col">
            <Explain tip={t(`field.${dimension}.meaning`)}>{dimensionLabel(dimension)}</Explain>
          </th>
          {goal !== null && (
            <NumberHead figure={{ label: t('overview.converted'), meaning: t('overview.converted.note', { goal }) }} />
          )}
          {[metric, ...others].map(headOf)}
          {isShared && <NumberHead figure="row.share" class="share" />}
          {hasChange && <NumberHead figure="rollups.change" class="delta" />}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <Row
            key={row.name}
            {...{ dimension, row, most, metric, others, hasChange }}
            share={!isShared ? null : total === undefined ? '' : formatShare(row.value, total)}
            isConverted={goal !== null}
          />
        ))}
      </tbody>
    </table>
  );
};

/** What stands beside the metric that ranks the rows. */
const othersOf = (metric: PanelMetric, hasRevenue: boolean): PanelMetric[] =>
  (hasRevenue ? (['visitors', 'revenue'] as const) : (['visitors'] as const)).filter(name => name !== metric);

interface MetricHeadProps {
  name: PanelMetric;
  metric: PanelMetric;
  rankedBy: ((metric: PanelMetric) => URLSearchParams) | undefined;
}

/** A click ranks the rows by the column. */
const MetricHead = ({ name, metric, rankedBy }: MetricHeadProps) => {
  const { href } = useAddress();
  const { label, meaning } = figureText(name === 'events' ? 'event.events' : `metric.${name}`);
  const isRanked = name === metric;
  return (
    <th
      scope="col"
      class={`number ${name}${isRanked ? ' ranked' : ''}`}
      aria-sort={isRanked && rankedBy ? 'descending' : undefined}
    >
      {rankedBy === undefined || isRanked ? (
        <Explain tip={meaning}>{label}</Explain>
      ) : (
        <a class="sort" href={href(rankedBy(name))} data-tip={t('common.sortTip', { meaning })}>
          {label}
        </a>
      )}
    </th>
  );
};

/** What a bar is as long as. Money given back has none. */
const measureOf = ({ value, measure }: RowData): number => Math.max(measure === undefined ? value : (measure ?? 0), 0);

interface RowProps {
  dimension: DimensionName;
  row: RowData;
  most: number;
  metric: PanelMetric;
  others: readonly PanelMetric[];
  hasChange: boolean;
  /** Null: there is no such column. */
  share: string | null;
  isConverted: boolean;
}

const Row = ({ dimension, row, most, metric, others, hasChange, share, isConverted }: RowProps) => {
  const { search, href } = useAddress();
  const { site } = useSite();
  const { name, value, measure, converted, delta, tip } = row;
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
        {dimension.endsWith('ath') && !site.isRollup && <PageLink path={name} />}
      </td>
      {isConverted && (
        <td class="number converted">{converted === undefined ? '' : metricText('conversionRate', converted, '')}</td>
      )}
      <td class="number ranked">{metricText(metric, measure === undefined ? value : measure, site.currency)}</td>
      {others.map(other => (
        <td key={other} class={`number ${other}`}>
          {other === 'visitors'
            ? formatNumber(value)
            : row.revenue
              ? metricText('revenue', row.revenue, site.currency)
              : ''}
        </td>
      ))}
      {share !== null && <td class="number share">{share}</td>}
      {hasChange && <td class="number delta">{delta === undefined ? '' : <RowChange delta={delta} />}</td>}
    </tr>
  );
};

/** The arrow has the colour, and the number is quiet; `new` where there was nothing before. */
const RowChange = ({ delta }: { delta: number | null }) =>
  delta === null ? (
    <span class="new">{t('events.new')}</span>
  ) : (
    <span class={`delta-text ${delta === 0 ? 'level' : delta > 0 ? 'up' : 'down'}`}>{formatDelta(delta)}</span>
  );

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
