/** All sites of the account with their latest numbers. */

import { useEffect, useState } from 'preact/hooks';
import { dayMs } from '../../../model/time.ts';
import type { SiteView, TeamView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import type { SeriesPoint, Stats } from '../answers.ts';
import { useApp } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatDay, formatWeekday, localDate, wallDate, wallMs } from '../format.ts';
import { fittingText } from '../metric-text.ts';
import { Change } from '../parts/change.tsx';
import { Drawing } from '../parts/drawing.tsx';
import { Letter } from '../parts/glyph.tsx';
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
  const isEmpty = me?.sites.length === 0 && me.teams.some(({ rights }) => rights.includes('sites'));
  useEffect(() => {
    if (isEmpty) go('/settings/add-site', { replace: true });
  }, [isEmpty, go]);
  if (me?.teams.length === 0) return <NoTeam />;
  if (me === null || isEmpty) return null;
  const sites = me.sites.filter(({ members }) => members === null);
  const mayAdd = me.teams.some(({ rights }) => rights.includes('sites'));
  return (
    <>
      <div class="detail-head">
        <h1 class="detail-title">{t('sites.title')}</h1>
        {mayAdd && sites.length > 1 && (
          <button type="button" class="button" onClick={() => setEdited('new')}>
            {t('rollups.add')}
          </button>
        )}
        {mayAdd && (
          <a class="button primary" href="/settings/add-site">
            <Icon name="plus" />
            {t('sites.add')}
          </a>
        )}
      </div>
      <RefreshContext.Provider value={ticks}>
        {me.teams.map(team => (
          <TeamSites key={team.id} team={team} isOnly={me.teams.length === 1} onEdit={setEdited} />
        ))}
      </RefreshContext.Provider>
      {edited !== null && <RollupDialog rollup={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </>
  );
};

interface TeamSitesProps {
  team: TeamView;
  isOnly: boolean;
  onEdit: (rollup: SiteView) => void;
}

/** Its name stands above them where somebody is in several. */
const TeamSites = ({ team, isOnly, onEdit }: TeamSitesProps) => {
  const { me } = useApp();
  const all = me?.sites.filter(site => site.team === team.id) ?? [];
  const rollups = all.filter(({ members }) => members !== null);
  const sites = all.filter(({ members }) => members === null);
  const mayEdit = team.rights.includes('sites');
  return (
    <>
      {!isOnly && all.length > 0 && <h2 class="team-name">{team.name}</h2>}
      {rollups.length > 0 && (
        <ul class="site-list rollups" aria-label={t('rollups.title')}>
          {rollups.map(rollup => (
            <SiteCard key={rollup.id} site={rollup} {...(mayEdit && { onEdit: () => onEdit(rollup) })} />
          ))}
        </ul>
      )}
      {sites.length > 0 && (
        <ul class="site-list" aria-label={isOnly ? t('sites.title') : team.name}>
          {sites.map(site => (
            <SiteCard key={site.id} site={site} />
          ))}
        </ul>
      )}
    </>
  );
};

const NoTeam = () => (
  <div class="entry">
    <h1>{t('entry.noTeam')}</h1>
    <p>{t('entry.noTeam.note')}</p>
  </div>
);

const everyMs = 30_000;

/** A card that leads to the site. `onEdit` is about a rollup. */
const SiteCard = ({ site, onEdit }: { site: SiteView; onEdit?: () => void }) => {
  const { me } = useApp();
  const live = useAnswer(askSite(site, 'realtime'));
  const month = useAnswer(askSite(site, 'stats', { range: '30d' }));
  const series = useAnswer(askSite(site, 'series', { range: '30d' }));
  const points = series.data?.data ?? [];
  const online = live.data?.visitors ?? 0;
  return (
    <li class="site-card" aria-busy={month.pending || series.pending}>
      <a
        href={sitePath(
          me?.sites.some(({ id, domain }) => domain === site.domain && id !== site.id) ? site.id : site.domain,
        )}
      >
        <span class="site-head">
          <Letter name={site.domain} />
          <span class="site-name cut">{site.domain}</span>
          {online > 0 && <span class="site-live">{t('shell.now', { count: online })}</span>}
        </span>
        {site.members !== null && <Members ids={site.members} />}
        {month.data !== undefined && series.data !== undefined && (
          <>
            <span class="site-figure">
              {rich('sites.month', {
                strong: inner => <strong>{inner}</strong>,
                count: month.data.visitors ?? 0,
              })}
              <Change delta={month.data.delta?.visitors ?? null} />
            </span>
            <Silence site={site} points={points} />
            {month.data.visits === 0 ? (
              <Drawing name="page" />
            ) : (
              <Spark values={points.map(point => point.Visitors ?? 0)} />
            )}
            <SiteFoot site={site} month={month.data} />
          </>
        )}
      </a>
      {onEdit !== undefined && (
        <button type="button" class="button" aria-label={t('rollups.edit', { name: site.domain })} onClick={onEdit}>
          {t('note.edit')}
        </button>
      )}
    </li>
  );
};

/** Today so far with that weekday until the same time, and what the month earned. */
const SiteFoot = ({ site, month }: { site: SiteView; month: Stats }) => {
  const { now } = useApp();
  const weekBefore = wallDate(wallMs(localDate(now(), site.timezone)) - 7 * dayMs);
  const { data } = useAnswer(askSite(site, 'stats', { range: 'today', compare: 'previous-weekday' }));
  const { revenue, currency } = month;
  return (
    <span class="site-foot">
      {data !== undefined && (
        <>
          {rich('sites.today', { strong: inner => <strong>{inner}</strong>, visitors: data.visitors ?? 0 })}
          <span class="site-before">
            {t('sites.before', { visitors: data.previous?.visitors ?? 0, weekday: formatWeekday(weekBefore) })}
          </span>
        </>
      )}
      {revenue !== null && revenue !== 0 && (
        <span class="site-revenue">{fittingText('revenue', revenue, currency, 12)}</span>
      )}
    </span>
  );
};

/** Which sites a rollup reads. */
const Members = ({ ids }: { ids: readonly string[] }) => {
  const { me } = useApp();
  const domains = me?.sites.filter(({ id }) => ids.includes(id)).map(({ domain }) => domain) ?? [];
  return <span class="site-members cut">{domains.join(', ')}</span>;
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
