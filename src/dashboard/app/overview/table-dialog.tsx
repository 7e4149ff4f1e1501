/**
 * All rows of a dimension: a table with the columns that somebody chooses, sorted by any of them,
 * searched, and loaded as it is scrolled. Columns and order are in the address.
 */

import { useState } from 'preact/hooks';
import type { DimensionName } from '../../../model/dimensions.ts';
import { tablePageMax } from '../../../model/limits.ts';
import { type TableMetricName, tableMetricNames } from '../../../model/table-metrics.ts';
import { useAddress } from '../address.tsx';
import type { TableAnswerRow } from '../answers.ts';
import { shownMetrics, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { metricText } from '../metric-text.ts';
import { dimensionLabel, isNamed, metricLabel, storedText, valueLabel } from '../names.ts';
import { Dialog } from '../parts/dialog.tsx';
import { sortHead } from '../parts/heads.tsx';
import { LoadMore } from '../parts/load-more.tsx';
import { Empty, Failed, SkeletonRows, Standing } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { Explain } from '../parts/tips.tsx';
import { Toggle } from '../parts/toggle.tsx';
import { usePages } from '../parts/use-pages.ts';
import { useSettled } from '../parts/use-settled.ts';
import { askedSearch, toggledValue, withChoice } from '../question.ts';
import { t } from '../texts/text.ts';

const columnsDefault = 'visitors.pageviews.bounceRate.avgVisitSeconds.revenue';
const sortDefault = 'visitors';

interface TableDialogProps {
  dimension: DimensionName;
  onClose: () => void;
}

export const TableDialog = ({ dimension, onClose }: TableDialogProps) => {
  const [text, setText] = useState('');
  return (
    <Dialog title={dimensionLabel(dimension)} size="large" onClose={onClose}>
      <div class="table-tools">
        <input
          type="search"
          class="search"
          placeholder={t('table.search')}
          aria-label={t('table.searchRows')}
          autofocus
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <details class="table-columns">
          <summary class="button">{t('table.columns')}</summary>
          <Columns />
        </details>
      </div>
      <div class="dialog-scroll" tabIndex={-1}>
        <WholeTable dimension={dimension} text={useSettled(text)} />
      </div>
    </Dialog>
  );
};

const chosenColumns = (search: URLSearchParams, shown: readonly TableMetricName[]): TableMetricName[] => {
  const names = (search.get('_columns') ?? columnsDefault).split('.');
  const chosen = shown.filter(name => names.includes(name));
  return chosen.length === 0 ? [sortDefault] : chosen;
};

const orderOf = (
  search: URLSearchParams,
  shown: readonly TableMetricName[],
): { sort: TableMetricName; isDescending: boolean } => ({
  sort: shown.find(name => name === search.get('_sort')) ?? sortDefault,
  isDescending: search.get('_dir') !== 'asc',
});

const Columns = () => {
  const { search } = useAddress();
  const shown = shownMetrics(useSite(), tableMetricNames);
  const chosen = chosenColumns(search, shown);
  const toggled = (name: TableMetricName): URLSearchParams => {
    const next = shown.filter(each => (each === name) !== chosen.includes(each));
    return withChoice(search, '_columns', next.join('.'), columnsDefault);
  };
  return (
    <ul class="quick-chips" aria-label={t('table.columns')}>
      {shown.map(name => (
        <li key={name}>
          <Toggle
            class="quick-chip"
            isOn={chosen.includes(name)}
            next={toggled(name)}
            tip={t(`metric.${name}.meaning`)}
          >
            {metricLabel(name)}
          </Toggle>
        </li>
      ))}
    </ul>
  );
};

const nameOf = ({ name }: TableAnswerRow): string => name;

const WholeTable = ({ dimension, text }: { dimension: DimensionName; text: string }) => {
  const { search } = useAddress();
  const state = useSite();
  const { site } = state;
  const shown = shownMetrics(state, tableMetricNames);
  const shownColumns = chosenColumns(search, shown);
  const { sort, isDescending } = orderOf(search, shown);
  // People search for names, so all values that have some are loaded, and searched here.
  const isCoded = text === '' ? isNamed(dimension, ' ') : isNamed(dimension, text);
  const asked = askedSearch(search);
  asked.set('dimension', dimension);
  asked.set('metrics', shownColumns.join(','));
  asked.set('sort', sort);
  asked.set('dir', isDescending ? 'desc' : 'asc');
  asked.set('limit', String(isCoded ? tablePageMax : 50));
  if (text !== '' && !isCoded) asked.append(`${dimension}*`, storedText(dimension, text));
  const path = askSite(site, 'ext/table', asked);
  const { rows: loaded, isDone, error, isPending, more, retry } = usePages<TableAnswerRow>(path, nameOf);
  const wanted = text.toLowerCase();
  const rows = isCoded
    ? loaded.filter(({ name }) => `${valueLabel(dimension, name)} ${name}`.toLowerCase().includes(wanted))
    : loaded;
  if (rows.length === 0) {
    if (error !== undefined) return <Failed error={error} retry={retry} />;
    return isDone ? <Empty>{t('table.noMatches')}</Empty> : <SkeletonRows count={12} />;
  }
  const heads: TableColumn<TableAnswerRow>[] = [
    {
      name: 'name',
      head: <Explain tip={t(`field.${dimension}.meaning`)}>{dimensionLabel(dimension)}</Explain>,
      class: 'row-name',
      cell: ({ name }) => <ValueLink dimension={dimension} value={name} />,
    },
    ...shownColumns.map(name => ({
      ...{ name, ...sortHead(search, { ...sortOf(name), isSorted: sort === name }) },
      cell: (row: TableAnswerRow) => metricText(name, row[name], site.currency),
    })),
  ];
  return (
    <Standing isPending={isPending}>
      <Table class="table whole" columns={heads} rows={rows} keyOf={nameOf} />
      {error !== undefined && <Failed error={error} retry={retry} />}
      {!isDone && error === undefined && <LoadMore onReach={more}>{t('table.loadMore')}</LoadMore>}
    </Standing>
  );
};

const sortOf = (name: TableMetricName) => ({
  ...({ class: 'number', figure: `metric.${name}`, sort: name, sortDefault } as const),
});

/** The overview shows what is chosen, so the table closes. */
const ValueLink = ({ dimension, value }: { dimension: DimensionName; value: string }) => {
  const { search, href } = useAddress();
  const label = valueLabel(dimension, value);
  return (
    <a class="row-link" href={href(withChoice(toggledValue(search, dimension, value), '_all', null))} title={label}>
      {label}
    </a>
  );
};
