/** All sites of the account with their latest numbers. */

import { useEffect, useState } from 'preact/hooks';
import { dayMs } from '../../../model/time.ts';
import type { SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import type { SeriesPoint } from '../answers.ts';
import { useApp } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatDay, formatWeekday, localDate, wallDate, wallMs } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Spark } from '../parts/spark.tsx';
import { useInterval } from '../parts/use-interval.ts';
import { sitePath } from '../routes.ts';
import { rich, t } from '../texts/text.ts';
import { RefreshContext, useAnswer } from '../use-answer.ts';
import { RollupDialog } from './rollup-form.tsx';

export const SitesPage = () => {
  const { me } = useApp();
  const { go } = useAddress();
  const ticks = useInterval(everyMs);
  const [edited, setEdited] = useState<SiteView | 'new' | null>(null);
  const isEmpty = me?.sites.length === 0;
  useEffect(() => {
    if (isEmpty) go('/settings/add-site', { replace: true });
  }, [isEmpty, go]);
  if (me === null || isEmpty) return null;
  const rollups = me.sites.filter(({ members }) => members !== null);
  const sites = me.sites.filter(({ members }) => members === null);
  return (
    <>
      <div class="detail-head">
        <h1 class="detail-title">{t('sites.title')}</h1>
        {sites.length > 1 && (
          <button type="button" class="button" onClick={() => setEdited('new')}>
            {t('rollups.add')}
          </button>
        )}
        <a class="button" href="/settings/add-site">
          <Icon name="plus" />
          {t('sites.add')}
        </a>
      </div>
      <RefreshContext.Provider value={ticks}>
        {rollups.length > 0 && (
          <ul class="site-list rollups" aria-label={t('rollups.title')}>
            {rollups.map(rollup => (
              <SiteRow key={rollup.id} site={rollup} onEdit={() => setEdited(rollup)} />
            ))}
          </ul>
        )}
        <ul class="site-list" aria-label={t('sites.title')}>
          {sites.map(site => (
            <SiteRow key={site.id} site={site} />
          ))}
        </ul>
      </RefreshContext.Provider>
      {edited !== null && <RollupDialog rollup={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </>
  );
};

const everyMs = 30_000;

/** `onEdit` is about a rollup. */
const SiteRow = ({ site, onEdit }: { site: SiteView; onEdit?: () => void }) => {
  const { now } = useApp();
  const weekBefore = wallDate(wallMs(localDate(now(), site.timezone)) - 7 * dayMs);
  const live = useAnswer(askSite(site, 'realtime'));
  // Today so far with that weekday until the same time.
  const stats = useAnswer(askSite(site, 'stats', { range: 'today', compare: 'previous-weekday' }));
  const series = useAnswer(askSite(site, 'series', { range: '30d' }));
  return (
    <li aria-busy={stats.pending || series.pending}>
      <a href={sitePath(site.domain)}>
        <span>
          <span class="site-name cut">{site.domain}</span>
          {site.members !== null && <Members ids={site.members} />}
          {series.data !== undefined && <Silence site={site} points={series.data.data} />}
        </span>
        <span class="site-spark">
          <Spark values={series.data?.data.map(point => point.Visitors ?? 0) ?? []} />
          <span class="spark-span">{t('sites.span')}</span>
        </span>
        <span class="site-numbers">
          {stats.data !== undefined && live.data !== undefined && (
            <>
              {rich('sites.today', { strong: inner => <strong>{inner}</strong>, visitors: stats.data.visitors ?? 0 })}
              {live.data.visitors > 0 && <span class="site-live">{t('shell.now', { count: live.data.visitors })}</span>}
              <span class="spark-span">
                {t('sites.before', {
                  visitors: stats.data.previous?.visitors ?? 0,
                  weekday: formatWeekday(weekBefore),
                })}
              </span>
            </>
          )}
        </span>
      </a>
      {onEdit !== undefined && (
        <button type="button" class="button" aria-label={t('rollups.edit', { name: site.domain })} onClick={onEdit}>
          {t('note.edit')}
        </button>
      )}
    </li>
  );
};

/** Which sites a rollup reads. */
const Members = ({ ids }: { ids: readonly string[] }) => {
  const { me } = useApp();
  const domains = me?.sites.filter(({ id }) => ids.includes(id)).map(({ domain }) => domain) ?? [];
  return <span class="spark-span cut">{domains.join(', ')}</span>;
};

/** A site without hits for so many days is said to be silent. */
const silentDays = 2;

/** Whether hits have stopped coming, or never came. */
const Silence = ({ site, points }: { site: SiteView; points: readonly SeriesPoint[] }) => {
  const last = points.findLastIndex(({ Visits }) => Visits !== 0);
  const ever = useAnswer(last < 0 && site.members === null ? askSite(site, 'stats', { range: 'all' }) : null);
  if (last >= points.length - silentDays) return null;
  const text =
    last >= 0
      ? t('sites.silentSince', { day: formatDay(points[last]!.date) })
      : ever.data?.visits === 0
        ? t('sites.never')
        : t('sites.silent');
  return <span class="site-silence">{text}</span>;
};
