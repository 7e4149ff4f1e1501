/**
 * A breakdown and its rows: a bar as long as the value's share of the largest one, and a link that
 * filters by it.
 */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { DimensionName } from '../../../model/dimensions.ts';
import { useAddress } from '../address.tsx';
import type { Breakdown, EventList } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { formatShare } from '../format.ts';
import { metricText } from '../metric-text.ts';
import { dimensionLabel, valueLabel } from '../names.ts';
import { Glyph } from '../parts/glyph.tsx';
import { NumberHead } from '../parts/heads.tsx';
import { Icon } from '../parts/icon.tsx';
import { Explain } from '../parts/tips.tsx';
import { askedSearch, eventListSearch, isFilteredTo, searchText, toggledValue } from '../question.ts';
import { t } from '../texts/text.ts';
import { type Answer, useAnswer } from '../use-answer.ts';
import type { PanelMetric } from './choices.ts';

/** The breakdown by a dimension under the address's question; null asks nothing. */
export const useBreakdown = (dimension: DimensionName | null, limit: number): Answer<Breakdown> =>
  useBreakdownOf(askedSearch(useAddress().search), dimension, limit);

/**
 * The same under another question. By the specification a breakdown leaves revenue events out;
 * people look for all of them, so events come from the list of events.
 */
export const useBreakdownOf = (
  question: URLSearchParams,
  dimension: DimensionName | null,
  limit: number,
): Answer<Breakdown> => {
  const { site } = useSite();
  const isOfEvents = dimension === 'event';
  const asked = isOfEvents ? eventListSearch(question) : new URLSearchParams(question);
  if (!isOfEvents) asked.set('dimension', dimension ?? '');
  asked.set('limit', String(limit));
  const endpoint = isOfEvents ? 'events' : 'breakdown';
  const path = dimension === null ? null : `/api/v1/sites/${site.id}/${endpoint}${searchText(asked)}`;
  const answer = useAnswer<Breakdown | EventList>(path, dimension ?? '');
  const names = question.getAll('event').join('\n');
  return { ...answer, data: useMemo(() => answer.data && breakdownOf(answer.data, names), [answer.data, names]) };
};

/** `names`: those that are filtered by, in lines; empty for all. */
const breakdownOf = (answer: Breakdown | EventList, names: string): Breakdown => {
  if ('dimension' in answer) return answer;
  const rows = answer.data
    .filter(({ name }) => names === '' || names.split('\n').includes(name))
    .map(({ name, events, visitors }) => ({ name, value: visitors, events }));
  return { dimension: 'event', data: rows.sort((a, b) => b.value - a.value) };
};

export interface RowData {
  name: string;
  /** Visitors. */
  value: number;
  /** Hits, where they are known. */
  events?: number;
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
        <a class="row-link" href={href(next)} data-label={label} aria-current={isChosen ? 'true' : undefined}>
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
