/**
 * The rows of a panel: ranked by visitors or another metric, with the conversions of a goal where
 * one is chosen, and more about each row once somebody points at the panel.
 */

import { useMemo } from 'preact/hooks';
import type { DimensionName } from '../../../model/dimensions.ts';
import type { TableMetricName } from '../../../model/table-metrics.ts';
import { useAddress } from '../address.tsx';
import type { TableAnswer, TableAnswerRow } from '../answers.ts';
import { shownMetrics, useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { metricText } from '../metric-text.ts';
import { metricLabel } from '../names.ts';
import { askedSearch } from '../question.ts';
import { t } from '../texts/text.ts';
import { type AnswerState, useAnswer } from '../use-answer.ts';
import { chosenComparison, chosenGoal, type PanelMetric } from './choices.ts';
import { type RowData, useBreakdown, type ValueRows } from './rows.tsx';

/** Means say little of few visits: such rows are ranked among those with the most visitors. */
const means: readonly PanelMetric[] = ['bounceRate', 'avgVisitSeconds'];
const extras = [
  'visitors',
  'visits',
  'pageviews',
  'bounceRate',
  'avgVisitSeconds',
  'revenue',
] as const satisfies TableMetricName[];
const extrasOfGoal = [...extras, 'conversions', 'conversionRate'] as const;

interface PanelRows {
  dimension: DimensionName;
  metric: PanelMetric;
  /** Rows that are asked for. */
  limit: number;
  /** Rows that are shown. */
  shown: number;
  /** The breakdown, where it is at hand. */
  given?: AnswerState<ValueRows>;
  /** More about each row may be asked. */
  isLater: boolean;
}

/** `hasMore`: there are more rows than are shown. */
export const usePanelRows = (panel: PanelRows): AnswerState<{ rows: RowData[]; hasMore: boolean }> => {
  const { dimension, metric, limit, shown, given, isLater } = panel;
  const { search } = useAddress();
  const { site } = useSite();
  const goal = chosenGoal(search);
  const isPlain = metric === 'visitors';
  const asked = useBreakdown(isPlain && given === undefined ? dimension : null, limit);
  const plain = given ?? asked;
  const sort = isPlain || means.includes(metric) ? 'visitors' : metric;
  const table = useTable(dimension, [...new Set(['visitors', metric] as const)], sort, limit, !isPlain);
  const own = shownMetrics(useSite(), goal === null ? extras : extrasOfGoal);
  const about = useTable(dimension, own, sort, limit, goal !== null || isLater, chosenComparison(search));

  const answer = isPlain ? plain : table;
  const data = useMemo(() => {
    const known = new Map(about.data?.data.map(row => [row.name, row]));
    const rows = isPlain ? plain.data?.data : tableRows(table.data, metric);
    return (
      rows && {
        rows: rows.slice(0, shown).map(row => withMore(row, known.get(row.name), site.currency)),
        hasMore: rows.length > shown,
      }
    );
  }, [isPlain, plain.data, table.data, about.data, metric, shown, site.currency]);
  return { ...answer, data };
};

/** Until it `isAsked` it is what was answered before. */
const useTable = (
  dimension: DimensionName,
  metrics: readonly TableMetricName[],
  sort: TableMetricName,
  limit: number,
  isAsked: boolean,
  compare = 'none',
): AnswerState<TableAnswer> => {
  const { search } = useAddress();
  const { client } = useApp();
  const { site } = useSite();
  const asked = askedSearch(search);
  asked.set('dimension', dimension);
  asked.set('metrics', metrics.join(','));
  asked.set('sort', sort);
  asked.set('limit', String(limit));
  if (compare !== 'none') asked.set('compare', compare);
  const goal = chosenGoal(search);
  if (goal !== null) asked.set('conversionGoal', goal);
  const path = askSite(site, 'ext/table', asked);
  const answer = useAnswer(isAsked ? path : null, `${dimension} ${metrics}`);
  return isAsked ? answer : { ...answer, data: client.kept(path)?.data as TableAnswer | undefined };
};

const tableRows = (table: TableAnswer | undefined, metric: PanelMetric): RowData[] | undefined => {
  const rows = table?.data.map(row => ({ name: row.name, value: row.visitors ?? 0, measure: row[metric] ?? null }));
  return means.includes(metric) ? rows?.sort((a, b) => (b.measure ?? 0) - (a.measure ?? 0)) : rows;
};

const withMore = (row: RowData, known: TableAnswerRow | undefined, currency: string): RowData => {
  if (known === undefined) return row;
  const tip = (['pageviews', 'bounceRate', 'avgVisitSeconds'] as const)
    .map(name => t('overview.before', { window: metricLabel(name), value: metricText(name, known[name], currency) }))
    .join(' · ');
  return {
    ...row,
    tip,
    revenue: known.revenue ?? null,
    ...('delta' in known && { delta: known.delta?.visitors ?? null }),
    ...('conversionRate' in known && { converted: known.conversionRate ?? null }),
  };
};
