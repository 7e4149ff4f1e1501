/**
 * A breakdown and its rows: a bar as long as the value's share of the largest one, and a link that
 * filters by it.
 */
import { useMemo } from 'preact/hooks';
import { type DimensionName, dimensions } from '../../../model/dimensions.ts';
import { rowFigures } from '../../../model/figures.ts';
import { useAddress } from '../address.tsx';
import type { Breakdown, EventList } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { formatCount, formatNumber, formatShare } from '../format.ts';
import { dimensionLabel, valueLabel } from '../names.ts';
import { NumberHead } from '../parts/heads.tsx';
import { Icon } from '../parts/icon.tsx';
import { Explain } from '../parts/tips.tsx';
import { askedSearch, eventListSearch, isFilteredTo, searchText, toggledValue } from '../question.ts';
import { type Answer, useAnswer } from '../use-answer.ts';

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

interface RowData {
  name: string;
  /** Visitors. */
  value: number;
  /** Hits, where they are known. */
  events?: number;
}

interface RowsProps {
  dimension: DimensionName;
  rows: readonly RowData[];
  /** Visitors of the slice, for the shares; undefined until they are known. */
  total: number | undefined;
  /** Shows the number of hits too. */
  hasHits?: boolean;
  hasShare?: boolean;
}

export const Rows = ({ dimension, rows, total, hasHits = false, hasShare = true }: RowsProps) => {
  const most = Math.max(...rows.map(row => row.value), 1);
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">
            <Explain tip={dimensions[dimension].meaning}>{dimensionLabel(dimension)}</Explain>
          </th>
          {hasHits && <NumberHead figure={rowFigures.events} />}
          <NumberHead figure={rowFigures.value} />
          {hasShare && <NumberHead figure={rowFigures.share} class="share" />}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <Row key={row.name} {...{ dimension, row, most, total, hasHits, hasShare }} />
        ))}
      </tbody>
    </table>
  );
};

interface RowProps extends Omit<RowsProps, 'rows'> {
  row: RowData;
  most: number;
}

const Row = ({ dimension, row, most, total, hasHits, hasShare }: RowProps) => {
  const { search, href } = useAddress();
  const { name, value, events } = row;
  const isChosen = isFilteredTo(search, dimension, name);
  const next = toggledValue(search, dimension, name);
  const label = valueLabel(dimension, name);
  const code = dimension === 'country' ? name : null;
  return (
    <tr class={isChosen ? 'chosen' : undefined}>
      <td class="row-name">
        <span class="row-bar" style={{ width: `${(value / most) * 100}%` }} />
        <a class="row-link" href={href(next)} title={label} aria-current={isChosen ? 'true' : undefined}>
          {code !== null && <span class="code">{code}</span>}
          {label}
        </a>
        {dimension.endsWith('ath') && <PageLink path={name} />}
      </td>
      {hasHits && <td class="number">{formatNumber(events ?? 0)}</td>}
      <td class="number" data-tip={events === undefined ? undefined : formatCount(events, 'hit')}>
        {formatNumber(value)}
      </td>
      {hasShare && <td class="number share">{total === undefined ? '' : formatShare(value, total)}</td>}
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
      aria-label={`Open ${path} in a new tab`}
    >
      <Icon name="external" />
    </a>
  );
};
