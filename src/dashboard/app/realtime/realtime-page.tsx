/** Who is on the site now. It refreshes every few seconds while the page is visible. */
import type { DimensionName } from '../../../model/dimensions.ts';
import { realtimeFigures } from '../../../model/figures.ts';
import { useAddress } from '../address.tsx';
import type { NamedCount, Realtime } from '../answers.ts';
import { useApp, useSite } from '../app-context.ts';
import { Controls } from '../controls/controls.tsx';
import { formatAgo, formatCount, formatNumber } from '../format.ts';
import { Rows } from '../overview/rows.tsx';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
import { Explain } from '../parts/tips.tsx';
import { useInterval } from '../parts/use-interval.ts';
import { askedSearch, searchText } from '../question.ts';
import { RefreshContext, useAnswer } from '../use-answer.ts';
import { LatestHitsList } from './latest-hits.tsx';

const everyMs = 5000;

export const RealtimePage = () => (
  <>
    <Controls hasPeriod={false} />
    <RefreshContext.Provider value={useInterval(everyMs)}>
      <Snapshot />
    </RefreshContext.Provider>
  </>
);

const Snapshot = () => {
  const { search } = useAddress();
  const { site, own } = useSite();
  const answer = useAnswer<Realtime>(`/api/v1/sites/${site.id}/realtime${searchText(askedSearch(search))}`);
  return (
    <Answered answer={answer} waiting={<SkeletonRows count={14} />}>
      {live => (
        <>
          <Now live={live} />
          <div class="panels">
            {lists.map(list => (
              <List key={list.name} list={list} rows={live[list.name]} />
            ))}
          </div>
          {own !== null && <LatestHitsList />}
        </>
      )}
    </Answered>
  );
};

const Now = ({ live }: { live: Realtime }) => {
  const { now } = useApp();
  return (
    <div class="now">
      <p class="now-figure">
        <span class="now-value" aria-live="polite">
          {formatNumber(live.visitors)}
        </span>
        <Explain tip={realtimeFigures.visitors.meaning}>{live.visitors === 1 ? 'visitor now' : 'visitors now'}</Explain>
      </p>
      <Minutes minutes={live.minutes} />
      <p class="hint">
        {formatCount(live.pageviews, 'pageview')} and {formatCount(live.events, 'event')} in the last 30 minutes.
        {live.lastHitAt !== null && ` Last hit ${formatAgo(live.lastHitAt, now())}.`}
      </p>
    </div>
  );
};

/** The scale reaches at least this far, so that a single visitor does not look like a crowd. */
const scaleMin = 4;

/** Visitors in each of the last 30 minutes. */
const Minutes = ({ minutes }: { minutes: Realtime['minutes'] }) => {
  const most = Math.max(...minutes.map(minute => minute.value), scaleMin);
  return (
    <figure>
      <ol class="minutes" aria-label="Visitors in each of the last 30 minutes">
        {minutes.map(({ date, value }) => (
          <li key={date} data-tip={`${date.slice(11, 16)}: ${formatNumber(value)}`}>
            <span class="unseen">
              {date.slice(11, 16)}: {formatNumber(value)}
            </span>
            <span class="minute" style={{ height: `${(value / most) * 100}%` }} />
          </li>
        ))}
      </ol>
      <figcaption class="scale" aria-hidden="true">
        <span>30 minutes ago</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
};

interface ListRow {
  name: 'pages' | 'referrers' | 'countries' | 'topEvents';
  label: string;
  dimension: DimensionName;
}
const lists: readonly ListRow[] = [
  { name: 'pages', label: 'Pages', dimension: 'path' },
  { name: 'referrers', label: 'Sources', dimension: 'referrer' },
  { name: 'countries', label: 'Countries', dimension: 'country' },
  { name: 'topEvents', label: 'Events', dimension: 'event' },
];

const List = ({ list, rows }: { list: ListRow; rows: readonly NamedCount[] }) => (
  <section class="panel" aria-label={list.label}>
    <header class="panel-head">
      <h2>{list.label}</h2>
    </header>
    {rows.length === 0 ? (
      <Empty>None in the last 30 minutes.</Empty>
    ) : (
      <Rows dimension={list.dimension} rows={rows} total={undefined} hasShare={false} />
    )}
  </section>
);
