/** The table of visits. Scrolling to its end loads more; a visit opens to its hits. */

import type { ComponentChildren } from 'preact';
import { visitChipNames, type visitFigures } from '../../../model/figures.ts';
import type { VisitSort } from '../../../query/query.ts';
import { useAddress } from '../address.tsx';
import type { Visit } from '../answers.ts';
import { useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatAmounts, formatInstant, formatNumber, formatSeconds } from '../format.ts';
import { noValue } from '../metric-text.ts';
import { valueLabel } from '../names.ts';
import { sortHead } from '../parts/heads.tsx';
import { Icon } from '../parts/icon.tsx';
import { LoadMore } from '../parts/load-more.tsx';
import { Empty, Failed, SkeletonRows, Standing } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { Explain } from '../parts/tips.tsx';
import { usePages } from '../parts/use-pages.ts';
import { askedSearch, withChoice } from '../question.ts';
import { t } from '../texts/text.ts';
import { VisitHits } from './visit-hits.tsx';

/**
 * What the table can be told besides period and filters. In the address each name has a `_` before
 * the API's.
 */
const parameterNames = ['sort', 'dir', 'q', 'step', ...visitChipNames];

/** The table's parameters, as the API and the export take them. */
export const visitParameters = (search: URLSearchParams): Record<string, string[]> =>
  Object.fromEntries(
    parameterNames.flatMap(name => {
      const values = search.getAll(`_${name}`);
      return values.length === 0 ? [] : [[name, values]];
    }),
  );

const visitQuestion = (search: URLSearchParams): URLSearchParams => {
  const asked = askedSearch(search);
  for (const [name, values] of Object.entries(visitParameters(search)))
    for (const value of values) asked.append(name, value);
  return asked;
};

const sortDefault: VisitSort = 'started';

/** The page of one visitor; the way back clears what was open. */
export const visitorSearch = (search: URLSearchParams, visitor: string | null): URLSearchParams =>
  withChoice(withChoice(search, '_visit', null), '_visitor', visitor);

interface VisitTableProps {
  /** Whose visits the table shows: those of the address by default. */
  question?: URLSearchParams;
  /** All visits are one visitor's, whom the page names. */
  isOfOne?: boolean;
}

export const VisitTable = ({ question, isOfOne = false }: VisitTableProps) => {
  const { search } = useAddress();
  const { site } = useSite();
  const asked = question ?? visitQuestion(search);
  const path = askSite(site, 'ext/visits', asked);
  const { rows: visits, isDone, error, isPending, more, retry } = usePages<Visit>(path, idOf);
  const open = search.get('_visit');
  const columns = visitColumns(search, site.currency);

  if (visits.length === 0) {
    if (error !== undefined) return <Failed error={error} retry={retry} />;
    return isDone ? <Empty>{t('visits.none')}</Empty> : <SkeletonRows count={16} />;
  }
  return (
    <Standing isPending={isPending}>
      <div class="table-scroll sheet">
        <Table
          class="table visits"
          columns={isOfOne ? columns.filter(({ name }) => name !== 'visitor') : columns}
          rows={visits}
          keyOf={idOf}
          rowOf={({ id }) => ({ class: id === open ? 'visit open' : 'visit' })}
          below={visit => (visit.id === open ? <VisitHits visit={visit} /> : null)}
        />
      </div>
      {error !== undefined && <Failed error={error} retry={retry} />}
      {!isDone && error === undefined && <LoadMore onReach={more}>{t('visits.loadMore')}</LoadMore>}
      {isDone && <p class="hint end">{t('visits.total', { count: visits.length })}</p>}
    </Standing>
  );
};

/** Columns of little room go: on all but wide windows, or on phones. */
const visitColumns = (search: URLSearchParams, currency: string): TableColumn<Visit>[] => {
  const sorted = search.get('_sort') ?? sortDefault;
  const by = (name: VisitSort, own?: string) => ({
    name,
    ...sortHead(search, {
      ...{ figure: `visit.${name}`, sort: name, sortDefault },
      class: own,
      isSorted: sorted === name,
    }),
  });
  const plain = (name: keyof typeof visitFigures, own: string) => ({
    ...{ name, class: own, head: <Explain tip={t(`visit.${name}.meaning`)}>{t(`visit.${name}`)}</Explain> },
  });
  return [
    { ...by('started', 'nowrap'), cell: visit => <Started visit={visit} isOpen={search.get('_visit') === visit.id} /> },
    { ...plain('visitor', 'phone-minor'), cell: visit => <VisitorName visit={visit} /> },
    { ...plain('paths', 'paths phone-minor'), cell: visit => <Paths visit={visit} /> },
    {
      ...plain('source', 'minor'),
      cell: ({ utmSource, referrer, utmCampaign }) => (
        <TwoLines
          first={utmSource ?? referrer ?? <span class="soft">{t('visits.direct')}</span>}
          second={utmCampaign}
        />
      ),
    },
    {
      ...plain('place', 'minor'),
      cell: ({ country, city }) => (
        <TwoLines first={country === null ? noValue : valueLabel('country', country)} second={city} />
      ),
    },
    {
      ...plain('browser', 'minor'),
      cell: visit => <TwoLines first={visit.browser ?? noValue} second={deviceOf(visit)} />,
    },
    { ...by('pageviews', 'number'), cell: ({ pageviews }) => formatNumber(pageviews) },
    { ...by('events', 'number phone-minor'), cell: ({ events }) => formatNumber(events) },
    { ...by('duration', 'number'), cell: ({ seconds }) => formatSeconds(seconds) },
    { ...by('revenue', 'number phone-minor'), cell: visit => revenueText(visit, currency) },
  ];
};

const Started = ({ visit, isOpen }: { visit: Visit; isOpen: boolean }) => {
  const { search, ask } = useAddress();
  const { site } = useSite();
  const { now } = useApp();
  return (
    <>
      <button
        type="button"
        class="visit-link"
        aria-expanded={isOpen}
        onClick={() => ask(withChoice(search, '_visit', isOpen ? null : visit.id))}
      >
        <Icon name={isOpen ? 'down' : 'right'} />
        {formatInstant(visit.started, site.timezone, now())}
      </button>
      <span class="cut soft phone-only">{pathLabel(visit.entryPath)}</span>
      <span class="cut soft phone-only">{originOf(visit)}</span>
    </>
  );
};

const Paths = ({ visit }: { visit: Visit }) => {
  const entryPath = pathLabel(visit.entryPath);
  const exitPath = pathLabel(visit.exitPath);
  return (
    <>
      <span class="cut" title={entryPath ?? undefined}>
        {entryPath ?? noValue}
      </span>
      {exitPath !== entryPath && (
        <span class="cut soft" title={exitPath ?? undefined}>
          → {exitPath}
        </span>
      )}
    </>
  );
};

const TwoLines = ({ first, second }: { first: ComponentChildren; second: string | null }) => (
  <>
    <span class="cut">{first}</span>
    {second !== null && <span class="cut soft">{second}</span>}
  </>
);

/** For phones: where the visit came from, in one line. */
const originOf = ({ utmSource, referrer, country }: Visit): string =>
  [utmSource ?? referrer ?? t('visits.direct'), ...(country === null ? [] : [valueLabel('country', country)])].join(
    ' · ',
  );

const deviceOf = ({ os, device }: Visit): string =>
  [...(os === null ? [] : [os]), ...(device === null ? [] : [valueLabel('device', device)])].join(', ');

/** Leads to all visits of the visitor. */
const VisitorName = ({ visit }: { visit: Visit }) => {
  const { search, href } = useAddress();
  return (
    <>
      <span class="cut visitor" title={visit.identified ?? visit.visitor}>
        <a href={href(visitorSearch(search, visit.visitor))} data-tip={t('visits.ofVisitor')}>
          {visit.identified ?? <code>{visit.visitor.slice(0, 8)}</code>}
        </a>
      </span>
      {visit.returning && <span class="kind">{t('visits.isReturning')}</span>}
    </>
  );
};

const pathLabel = (path: string | null): string | null => (path === null ? null : valueLabel('path', path));

const revenueText = (visit: Visit, currency: string): string =>
  visit.revenue === 0 && visit.otherRevenue === undefined ? '' : formatAmounts(visit, currency);

const idOf = ({ id }: Visit): string => id;
