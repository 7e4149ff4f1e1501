/** Who is on the site now. It refreshes every few seconds while the page is visible. */

import type { DimensionName } from '../../../model/dimensions.ts';
import { useAddress } from '../address.tsx';
import type { NamedCount, Realtime } from '../answers.ts';
import { isFieldShown, isShown, useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { Controls } from '../controls/controls.tsx';
import { formatAgo, formatNumber, formatWallTime } from '../format.ts';
import { Rows } from '../overview/rows.tsx';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
import { Explain } from '../parts/tips.tsx';
import { useInterval } from '../parts/use-interval.ts';
import { askedSearch } from '../question.ts';
import { t } from '../texts/text.ts';
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
  const state = useSite();
  const { site, own } = state;
  const shownLists = lists.filter(({ dimension }) => isFieldShown(state, dimension));
  const answer = useAnswer(askSite(site, 'realtime', askedSearch(search)));
  return (
    <Answered answer={answer} waiting={<SkeletonRows count={14} />}>
      {live => (
        <>
          <Now live={live} />
          <div class="panels">
            {[shownLists.slice(0, 1), shownLists.slice(1)].map((stack, i) => (
              <div key={i} class="stack">
                {stack.map(list => (
                  <List key={list.name} list={list} rows={live[list.name]} />
                ))}
              </div>
            ))}
          </div>
          {own !== null && isShown(state, 'visits') && <LatestHitsList />}
        </>
      )}
    </Answered>
  );
};

const Now = ({ live }: { live: Realtime }) => {
  const { now } = useApp();
  return (
    <div class="now sheet">
      <p class="now-figure">
        <span class="now-value" aria-live="polite">
          {formatNumber(live.visitors)}
        </span>
        <Explain tip={t('realtime.visitors.meaning')}>{t('realtime.now', { count: live.visitors })}</Explain>
      </p>
      <Minutes minutes={live.minutes} />
      <p class="hint">
        {t('realtime.summary', {
          pageviews: t('count.pageviews', { count: live.pageviews }),
          events: t('count.events', { count: live.events }),
        })}
        {live.lastHitAt !== null && ` ${t('realtime.lastHit', { ago: formatAgo(live.lastHitAt, now()) })}`}
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
      <ol class="minutes" aria-label={t('realtime.perMinute')}>
        {minutes.map(({ date, value }) => (
          <li key={date} data-tip={minuteText(date, value)}>
            <span class="unseen">{minuteText(date, value)}</span>
            <span class="minute" style={{ height: `${(value / most) * 100}%` }} />
          </li>
        ))}
      </ol>
      <figcaption class="scale" aria-hidden="true">
        <span>{t('realtime.thirtyAgo')}</span>
        <span>{t('realtime.atPresent')}</span>
      </figcaption>
    </figure>
  );
};

const minuteText = (date: string, visitors: number): string =>
  t('realtime.minute', { time: formatWallTime(date), visitors });

interface ListRow {
  name: 'pages' | 'referrers' | 'countries' | 'topEvents';
  dimension: DimensionName;
}
const lists: readonly ListRow[] = [
  { name: 'pages', dimension: 'path' },
  { name: 'referrers', dimension: 'referrer' },
  { name: 'countries', dimension: 'country' },
  { name: 'topEvents', dimension: 'event' },
];

const List = ({ list, rows }: { list: ListRow; rows: readonly NamedCount[] }) => (
  <section class="panel" aria-label={t(`realtime.${list.name}`)}>
    <header class="panel-head">
      <h2>{t(`realtime.${list.name}`)}</h2>
    </header>
    {rows.length === 0 ? (
      <Empty>{t('realtime.none')}</Empty>
    ) : (
      <Rows dimension={list.dimension} rows={rows} total={undefined} hasShare={false} />
    )}
  </section>
);
