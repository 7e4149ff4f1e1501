/** Hosts that hits came from and that the site does not allow, with a button that allows them. */
import type { OtherHostList, SiteView } from '../../wire.ts';
import { useApp, useSite } from '../app-context.ts';
import { useSubmit } from '../form/form.tsx';
import { formatAgo, formatNumber } from '../format.ts';
import { numberHead } from '../parts/heads.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';

type Host = OtherHostList['data'][number];

export const OtherHosts = () => {
  const { now } = useApp();
  const { own, rights } = useSite();
  const isAsked = own !== null && own.allowedHosts.length > 0 && rights.has('settings');
  const answer = useAnswer<OtherHostList>(isAsked ? `/app/sites/${own.id}/other-hosts` : null);
  const hosts = answer.data?.data.filter(({ host }) => !own?.allowedHosts.includes(host)) ?? [];
  if (own === null || hosts.length === 0) return null;
  const columns: TableColumn<Host>[] = [
    { name: 'host', head: t('health.host'), isName: true, cell: ({ host }) => host },
    { name: 'seen', head: t('health.node.seen'), cell: ({ lastAt }) => formatAgo(lastAt, now()) },
    { ...{ name: 'hits', ...numberHead('outcomes.hits') }, cell: ({ hits }) => formatNumber(hits) },
    { name: 'allow', head: '', class: 'number', cell: ({ host }) => <AllowButton site={own} host={host} /> },
  ];
  return (
    <section class="nodes" aria-label={t('health.otherHosts')}>
      <h2>{t('health.otherHosts')}</h2>
      <p class="hint">{t('health.otherHosts.note')}</p>
      <div class="table-scroll">
        <Table columns={columns} rows={hosts} keyOf={({ host }) => host} />
      </div>
    </section>
  );
};

const AllowButton = ({ site, host }: { site: SiteView; host: string }) => {
  const { client, setSite } = useApp();
  const { submit, isPending, error, errorOf } = useSubmit(async () =>
    setSite(
      site.id,
      await client.post<SiteView>(`/app/sites/${site.id}`, { allowedHosts: [...site.allowedHosts, host] }),
    ),
  );
  return (
    <form onSubmit={submit}>
      <button type="submit" class="button" aria-disabled={isPending} aria-label={t('health.allow.host', { host })}>
        {t('health.allow')}
      </button>
      <p class="field-error" role="alert">
        {error ?? errorOf('allowedHosts')}
      </p>
    </form>
  );
};
