/** All sites of the account with their latest numbers. */
import { useEffect } from 'preact/hooks';
import type { SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import type { Series, Stats } from '../answers.ts';
import { useApp } from '../app-context.ts';
import { formatNumber } from '../format.ts';
import { Change } from '../parts/change.tsx';
import { Icon } from '../parts/icon.tsx';
import { Spark } from '../parts/spark.tsx';
import { sitePath } from '../routes.ts';
import { useAnswer } from '../use-answer.ts';

export const SitesPage = () => {
  const { me } = useApp();
  const { go } = useAddress();
  const isEmpty = me?.sites.length === 0;
  useEffect(() => {
    if (isEmpty) go('/settings/add-site', { replace: true });
  }, [isEmpty, go]);
  if (me === null || isEmpty) return null;
  return (
    <>
      <div class="detail-head">
        <h1 class="detail-title">Sites</h1>
        <a class="button" href="/settings/add-site">
          <Icon name="plus" />
          Add a site
        </a>
      </div>
      <ul class="site-list">
        {me.sites.map(site => (
          <SiteRow key={site.id} site={site} />
        ))}
      </ul>
    </>
  );
};

const SiteRow = ({ site }: { site: SiteView }) => {
  const stats = useAnswer<Stats>(`/api/v1/sites/${site.id}/stats?range=7d`);
  const series = useAnswer<Series>(`/api/v1/sites/${site.id}/series?range=30d`);
  return (
    <li aria-busy={stats.pending || series.pending}>
      <a href={sitePath(site.domain)}>
        <span class="site-name cut">{site.domain}</span>
        <Spark values={series.data?.data.map(point => point.Visitors) ?? []} />
        <span class="site-numbers">
          {stats.data !== undefined && (
            <>
              <strong>{formatNumber(stats.data.visitors)}</strong> <span class="soft">visitors in 7 days</span>{' '}
              <Change delta={stats.data.delta?.visitors} />
            </>
          )}
        </span>
      </a>
    </li>
  );
};
