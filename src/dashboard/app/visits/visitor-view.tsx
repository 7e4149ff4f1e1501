/**
 * One visitor: what is known of them, and all their visits. Without cookies a visitor is a browser
 * on one day; with them, a browser for as long as it keeps the cookie.
 */
import { useMemo } from 'preact/hooks';
import { visitsPageMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import type { Visit, Visits } from '../answers.ts';
import { useApp, useSite } from '../app-context.ts';
import { formatInstant, formatMoney, formatNumber } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { searchText } from '../question.ts';
import { useAnswer } from '../use-answer.ts';
import { VisitTable, visitorSearch } from './visit-table.tsx';

export const VisitorView = ({ visitor }: { visitor: string }) => {
  const { search, href } = useAddress();
  const { site } = useSite();
  const question = useMemo(() => new URLSearchParams({ range: 'all', q: visitor }), [visitor]);
  const asked = searchText(new URLSearchParams([...question, ['limit', String(visitsPageMax)]]));
  const answer = useAnswer<Visits>(`/api/ext/sites/${site.id}/visits${asked}`, visitor);
  const name = answer.data?.data.find(({ identified }) => identified !== null)?.identified;
  return (
    <>
      <div class="detail-head">
        <a class="icon-button" href={href(visitorSearch(search, null))} aria-label="All visits" data-tip="All visits">
          <Icon name="left" />
        </a>
        <h2 class="detail-title">{name ?? 'Visitor'}</h2>
        <code class="soft">{visitor}</code>
      </div>
      <p class="hint">
        {site.identityMode === 'hash'
          ? 'A browser on one UTC day: on another day the same person is another visitor.'
          : 'A browser, for as long as it keeps its cookie.'}
      </p>
      <Answered answer={answer}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty>There is no visit of this visitor, or no longer.</Empty>
          ) : (
            <Facts visits={data} isWhole={next === null} />
          )
        }
      </Answered>
      <VisitTable question={question} />
    </>
  );
};

const sumOf = (visits: readonly Visit[], name: 'pageviews' | 'events' | 'revenue'): number =>
  visits.reduce((sum, visit) => sum + visit[name], 0);

/** Sums over the visits; `isWhole` unless there are more than one answer holds. */
const Facts = ({ visits, isWhole }: { visits: readonly Visit[]; isWhole: boolean }) => {
  const { site } = useSite();
  const { now } = useApp();
  const revenue = sumOf(visits, 'revenue');
  const at = (iso: string): string => formatInstant(iso, site.timezone, now());
  const figures: [label: string, value: string][] = [
    ['Visits', `${formatNumber(visits.length)}${isWhole ? '' : '+'}`],
    ['Pageviews', formatNumber(sumOf(visits, 'pageviews'))],
    ['Events', formatNumber(sumOf(visits, 'events'))],
    ...(revenue === 0 ? [] : [['Revenue', formatMoney(revenue, site.currency)] as [string, string]]),
    ['First visit', isWhole ? at(visits.at(-1)!.started) : `before ${at(visits.at(-1)!.started)}`],
    ['Last seen', at(visits[0]!.ended)],
  ];
  return (
    <dl class="figures few">
      {figures.map(([label, value], i) => (
        <div key={label} class="figure" data-figure={label}>
          <dt>{label}</dt>
          <dd>
            <span class={i < figures.length - 2 ? 'figure-value' : 'figure-value small'}>{value}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
};
