/** The table of visits. Scrolling to its end loads more; a visit opens to its hits. */

import { visitChipNames, type visitFigures } from '../../../model/figures.ts';
import type { VisitSort } from '../../../query/query.ts';
import { useAddress } from '../address.tsx';
import type { Visit } from '../answers.ts';
import { useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatAmounts, formatInstant, formatNumber, formatSeconds } from '../format.ts';
import { valueLabel } from '../names.ts';
import { SortHead } from '../parts/heads.tsx';
import { Icon } from '../parts/icon.tsx';
import { LoadMore } from '../parts/load-more.tsx';
import { Empty, Failed, SkeletonRows, Standing } from '../parts/states.tsx';
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

interface Column {
  name: keyof typeof visitFigures;
  sort?: VisitSort;
  /** Aligned at the end of the column. */
  isNumber?: boolean;
  /** Left out where there is little room: on all but wide windows, or on phones. */
  minor?: 'minor' | 'phone-minor';
}

const columns: readonly Column[] = [
  { name: 'started', sort: 'started' },
  { name: 'visitor', minor: 'phone-minor' },
  { name: 'paths', minor: 'phone-minor' },
  { name: 'source', minor: 'minor' },
  { name: 'place', minor: 'minor' },
  { name: 'browser', minor: 'minor' },
  { name: 'pageviews', sort: 'pageviews', isNumber: true },
  { name: 'events', sort: 'events', isNumber: true, minor: 'phone-minor' },
  { name: 'duration', sort: 'duration', isNumber: true },
  { name: 'revenue', sort: 'revenue', isNumber: true, minor: 'phone-minor' },
];

const columnsOfOne = columns.filter(({ name }) => name !== 'visitor');

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

  if (visits.length === 0) {
    if (error !== undefined) return <Failed error={error} retry={retry} />;
    return isDone ? <Empty>{t('visits.none')}</Empty> : <SkeletonRows count={16} />;
  }
  return (
    <Standing isPending={isPending}>
      <div class="table-scroll">
        <table class="table visits">
          <thead>
            <tr>
              {(isOfOne ? columnsOfOne : columns).map(column => (
                <Head key={column.name} column={column} />
              ))}
            </tr>
          </thead>
          <tbody>
            {visits.map(visit => (
              <Row key={visit.id} visit={visit} isOfOne={isOfOne} />
            ))}
          </tbody>
        </table>
      </div>
      {error !== undefined && <Failed error={error} retry={retry} />}
      {!isDone && error === undefined && <LoadMore onReach={more}>{t('visits.loadMore')}</LoadMore>}
      {isDone && <p class="hint end">{t('visits.total', { count: visits.length })}</p>}
    </Standing>
  );
};

const Head = ({ column }: { column: Column }) => {
  const { search } = useAddress();
  const { name, sort, isNumber, minor = '' } = column;
  const figure = `visit.${name}` as const;
  const className = isNumber ? `number ${minor}` : minor;
  if (sort !== undefined) {
    const sorted = search.get('_sort') ?? sortDefault;
    return <SortHead {...{ figure, sort, sortDefault }} class={className} isSorted={sorted === sort} />;
  }
  return (
    <th scope="col" class={className}>
      <Explain tip={t(`${figure}.meaning`)}>{t(figure)}</Explain>
    </th>
  );
};

const Row = ({ visit, isOfOne }: { visit: Visit; isOfOne: boolean }) => {
  const { search, ask } = useAddress();
  const { site } = useSite();
  const { now } = useApp();
  const isOpen = search.get('_visit') === visit.id;
  const entryPath = pathLabel(visit.entryPath);
  const exitPath = pathLabel(visit.exitPath);
  const { country, city, browser } = visit;
  return (
    <>
      <tr class={isOpen ? 'visit open' : 'visit'}>
        <td class="nowrap">
          <button
            type="button"
            class="visit-link"
            aria-expanded={isOpen}
            onClick={() => ask(withChoice(search, '_visit', isOpen ? null : visit.id))}
          >
            <Icon name={isOpen ? 'down' : 'right'} />
            {formatInstant(visit.started, site.timezone, now())}
          </button>
          <span class="cut soft phone-only">{entryPath}</span>
          <span class="cut soft phone-only">{originOf(visit)}</span>
        </td>
        {!isOfOne && <VisitorCell visit={visit} />}
        <td class="paths phone-minor">
          <span class="cut" title={entryPath ?? undefined}>
            {entryPath ?? '–'}
          </span>
          {exitPath !== entryPath && (
            <span class="cut soft" title={exitPath ?? undefined}>
              → {exitPath}
            </span>
          )}
        </td>
        <td class="minor">
          <span class="cut">{visit.utmSource ?? visit.referrer ?? <span class="soft">{t('visits.direct')}</span>}</span>
          {visit.utmCampaign !== null && <span class="cut soft">{visit.utmCampaign}</span>}
        </td>
        <td class="minor">
          <span class="cut">{country === null ? '–' : valueLabel('country', country)}</span>
          {city !== null && <span class="cut soft">{city}</span>}
        </td>
        <td class="minor">
          <span class="cut">{browser ?? '–'}</span>
          <span class="cut soft">{deviceOf(visit)}</span>
        </td>
        <td class="number">{formatNumber(visit.pageviews)}</td>
        <td class="number phone-minor">{formatNumber(visit.events)}</td>
        <td class="number">{formatSeconds(visit.seconds)}</td>
        <td class="number phone-minor">
          <Revenue visit={visit} />
        </td>
      </tr>
      {isOpen && (
        <tr class="visit-hits">
          <td colSpan={(isOfOne ? columnsOfOne : columns).length}>
            <VisitHits visit={visit} />
          </td>
        </tr>
      )}
    </>
  );
};

/** For phones: where the visit came from, in one line. */
const originOf = ({ utmSource, referrer, country }: Visit): string =>
  [utmSource ?? referrer ?? t('visits.direct'), ...(country === null ? [] : [valueLabel('country', country)])].join(
    ' · ',
  );

const deviceOf = ({ os, device }: Visit): string =>
  [...(os === null ? [] : [os]), ...(device === null ? [] : [valueLabel('device', device)])].join(', ');

/** Leads to all visits of the visitor. */
const VisitorCell = ({ visit }: { visit: Visit }) => {
  const { search, href } = useAddress();
  return (
    <td class="phone-minor">
      <span class="cut visitor" title={visit.identified ?? visit.visitor}>
        <a href={href(visitorSearch(search, visit.visitor))} data-tip={t('visits.ofVisitor')}>
          {visit.identified ?? <code>{visit.visitor.slice(0, 8)}</code>}
        </a>
      </span>
      {visit.returning && <span class="kind">{t('visits.isReturning')}</span>}
    </td>
  );
};

const pathLabel = (path: string | null): string | null => (path === null ? null : valueLabel('path', path));

const Revenue = ({ visit }: { visit: Visit }) => {
  const { site } = useSite();
  return <>{visit.revenue === 0 && visit.otherRevenue === undefined ? '' : formatAmounts(visit, site.currency)}</>;
};

const idOf = ({ id }: Visit): string => id;
