/** All sites of the account with their latest numbers. */
import { useEffect } from 'preact/hooks';
import { dayMs } from '../../../model/time.ts';
import type { Arrivals, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import type { Realtime, Series, SeriesPoint, Stats } from '../answers.ts';
import { useApp } from '../app-context.ts';
import { formatDay, formatWeekday, localDate, wallDate, wallMs } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Spark } from '../parts/spark.tsx';
import { useInterval } from '../parts/use-interval.ts';
import { sitePath } from '../routes.ts';
import { rich, t } from '../texts/text.ts';
import { RefreshContext, useAnswer } from '../use-answer.ts';

export const SitesPage = () => {
  const { me } = useApp();
  const { go } = useAddress();
  const ticks = useInterval(everyMs);
  const isEmpty = me?.sites.length === 0;
  useEffect(() => {
    if (isEmpty) go('/settings/add-site', { replace: true });
  }, [isEmpty, go]);
  if (me === null || isEmpty) return null;
  return (
    <>
      <div class="detail-head">
        <h1 class="detail-title">{t('sites.title')}</h1>
        <a class="button" href="/settings/add-site">
          <Icon name="plus" />
          {t('sites.add')}
        </a>
      </div>
      <RefreshContext.Provider value={ticks}>
        <ul class="site-list">
          {me.sites.map(site => (
            <SiteRow key={site.id} site={site} />
          ))}
        </ul>
      </RefreshContext.Provider>
    </>
  );
};

const everyMs = 30_000;

const SiteRow = ({ site }: { site: SiteView }) => {
  const { now } = useApp();
  const today = localDate(now(), site.timezone);
  const weekBefore = wallDate(wallMs(today) - 7 * dayMs);
  const v1 = `/api/v1/sites/${site.id}`;
  const live = useAnswer<Realtime>(`${v1}/realtime`);
  const stats = useAnswer<Stats>(`${v1}/stats?range=today`);
  const before = useAnswer<Stats>(`${v1}/stats?from=${weekBefore}&to=${weekBefore}`);
  const series = useAnswer<Series>(`${v1}/series?range=30d`);
  return (
    <li aria-busy={stats.pending || series.pending}>
      <a href={sitePath(site.domain)}>
        <span>
          <span class="site-name cut">{site.domain}</span>
          {series.data !== undefined && <Silence site={site} points={series.data.data} />}
        </span>
        <span class="site-spark">
          <Spark values={series.data?.data.map(point => point.Visitors) ?? []} />
          <span class="spark-span">{t('sites.span')}</span>
        </span>
        <span class="site-numbers">
          {stats.data !== undefined && live.data !== undefined && before.data !== undefined && (
            <>
              {rich('sites.today', { strong: inner => <strong>{inner}</strong>, visitors: stats.data.visitors })}
              {live.data.visitors > 0 && <span class="site-live">{t('shell.now', { count: live.data.visitors })}</span>}
              <span class="spark-span">
                {t('sites.before', { visitors: before.data.visitors, weekday: formatWeekday(weekBefore) })}
              </span>
            </>
          )}
        </span>
      </a>
    </li>
  );
};

/** A site without hits for so many days is said to be silent. */
const silentDays = 2;

/** Whether hits have stopped coming, or never came. */
const Silence = ({ site, points }: { site: SiteView; points: readonly SeriesPoint[] }) => {
  const last = points.findLastIndex(({ Visits }) => Visits > 0);
  const arrivals = useAnswer<Arrivals>(last < 0 ? `/app/sites/${site.id}/arrivals` : null);
  if (last >= points.length - silentDays) return null;
  const text =
    last >= 0
      ? t('sites.silentSince', { day: formatDay(points[last]!.date) })
      : arrivals.data?.received === false
        ? t('sites.never')
        : t('sites.silent');
  return <span class="site-silence">{text}</span>;
};
