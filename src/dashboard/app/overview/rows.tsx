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
import { figureText, numberHead } from '../parts/heads.tsx';
import { Icon } from '../parts/icon.tsx';
import { BarName, mostOf, Table, type TableColumn } from '../parts/table.tsx';
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
  const { search, href } = useAddress();
  const { site } = useSite();
  const most = mostOf(rows.map(measureOf));
  const metrics: PanelMetric[] = [metric, ...othersOf(metric, hasRevenue)];
  const converted = { label: t('overview.converted'), meaning: t('overview.converted.note', { goal: goal ?? '' }) };
  const columns: (TableColumn<RowData> | false)[] = [
    {
      ...{
        name: 'name',
        ...numberHead({ label: dimensionLabel(dimension), meaning: t(`field.${dimension}.meaning`) }),
      },
      class: 'row-name',
      cell: row => <Value {...{ dimension, row }} part={measureOf(row) / most} />,
    },
    goal !== null && {
      ...{ name: 'converted', ...numberHead(converted, 'converted') },
      cell: row => (row.converted === undefined ? '' : metricText('conversionRate', row.converted, '')),
    },
    ...metrics.map(name => ({
      ...metricHead(name, metric, rankedBy === undefined ? undefined : href(rankedBy(name))),
      cell: (row: RowData) => valueText(name, row, name === metric, site.currency),
    })),
    hasShare &&
      metric === 'visitors' && {
        ...{ name: 'share', ...numberHead('row.share', 'share') },
        cell: ({ value }) => (total === undefined ? '' : formatShare(value, total)),
      },
    hasChange && {
      ...{ name: 'delta', ...numberHead('rollups.change', 'delta') },
      cell: ({ delta }) => (delta === undefined ? '' : <RowChange delta={delta} />),
    },
  ];
  return (
    <Table
      class={metric === 'revenue' ? 'rows of-money' : 'rows'}
      columns={columns.filter(column => column !== false)}
      rows={rows}
      keyOf={({ name }) => name}
      rowOf={({ name, tip }) => ({
        class: isFilteredTo(search, dimension, name) ? 'chosen' : undefined,
        'data-tip': tip,
      })}
    />
  );
};

/** What a cell says of a metric: that which ranks the rows, or one beside it. */
const valueText = (name: PanelMetric, { value, measure, revenue }: RowData, isRanked: boolean, currency: string) => {
  if (isRanked) return metricText(name, measure === undefined ? value : measure, currency);
  if (name === 'visitors') return formatNumber(value);
  return revenue ? metricText('revenue', revenue, currency) : '';
};

/** What stands beside the metric that ranks the rows. */
const othersOf = (metric: PanelMetric, hasRevenue: boolean): PanelMetric[] =>
  (hasRevenue ? (['visitors', 'revenue'] as const) : (['visitors'] as const)).filter(name => name !== metric);

/** A click on the head of another column, which leads to `to`, ranks the rows by it. */
const metricHead = (
  name: PanelMetric,
  metric: PanelMetric,
  to: string | undefined,
): Omit<TableColumn<never>, 'cell'> => {
  const figure = figureText(name === 'events' ? 'event.events' : `metric.${name}`);
  const isRanked = name === metric;
  const head = numberHead(figure, isRanked ? `${name} ranked` : name);
  if (to === undefined || isRanked) {
    return { name, ...head, sorted: isRanked && to !== undefined ? 'descending' : undefined };
  }
  const tip = t('common.sortTip', { meaning: figure.meaning });
  return {
    ...{ name, class: head.class },
    head: (
      <a class="sort" href={to} data-tip={tip}>
        {figure.label}
      </a>
    ),
  };
};

/** What a bar is as long as. Money given back has none. */
const measureOf = ({ value, measure }: RowData): number => Math.max(measure === undefined ? value : (measure ?? 0), 0);

/** The name of a row: a click filters by it. */
const Value = ({ dimension, row: { name }, part }: { dimension: DimensionName; row: RowData; part: number }) => {
  const { search, href } = useAddress();
  const { site } = useSite();
  const label = valueLabel(dimension, name);
  return (
    <>
      <BarName
        part={part}
        href={href(toggledValue(search, dimension, name))}
        isChosen={isFilteredTo(search, dimension, name)}
        title={label.length > cutChars ? label : undefined}
        label={label}
      >
        <Glyph field={dimension} value={name} />
        {label}
      </BarName>
      {dimension.endsWith('ath') && !site.isRollup && <PageLink path={name} />}
    </>
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
