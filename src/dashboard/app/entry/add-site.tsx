/** Adding a site: its form, then the tag for its pages, and whether its hits arrive. */

import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { AddSite as AddSiteBody, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import type { Outcomes } from '../answers.ts';
import { useApp } from '../app-context.ts';
import { askSite } from '../ask.ts';
import type { AppClient } from '../client.ts';
import { Actions, useSubmit } from '../form/form.tsx';
import { guessedSite, SiteFields } from '../form/site-fields.tsx';
import { CopyField } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { searchText } from '../question.ts';
import { sitePath } from '../routes.ts';
import { rich, t } from '../texts/text.ts';
import { RefreshNowContext } from '../use-answer.ts';

/** The form; or, once the address names the site that it added, its tag. */
export const AddSitePage = () => {
  const { me } = useApp();
  const { search } = useAddress();
  const added = me?.sites.find(({ domain }) => domain === search.get(addedName));
  return added === undefined ? <AddSiteForm isFirst={me?.sites.length === 0} /> : <Install site={added} />;
};

const addedName = 'site';

const AddSiteForm = ({ isFirst }: { isFirst: boolean }) => {
  const { client, me, setSite } = useApp();
  const { go, path } = useAddress();
  const [values, setValues] = useState(guessedSite);
  const teams = me?.teams.filter(({ rights }) => rights.includes('sites')) ?? [];
  const [team, setTeam] = useState(teams[0]?.id);
  const form = useSubmit(async () => {
    const body: AddSiteBody = { ...values, ...(team !== undefined && { team }) };
    const site = await client.post<SiteView>('/app/sites', body);
    setSite(site.id, site);
    go(path + searchText(new URLSearchParams({ [addedName]: site.domain })), { replace: true });
  });
  return (
    <div class="entry">
      <h1>{isFirst ? t('entry.firstSite') : t('entry.addSite')}</h1>
      <form class="form" onSubmit={form.submit}>
        <SiteFields values={values} setValues={setValues} form={form} autofocus />
        {teams.length > 1 && (
          <label class="field">
            {t('entry.team')}
            <select value={team} onChange={({ currentTarget }) => setTeam(currentTarget.value)}>
              {teams.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <Actions form={form} label={t('entry.addSite.action')} />
      </form>
    </div>
  );
};

/** After a site was added. */
const Install = ({ site }: { site: SiteView }) => (
  <div class="entry">
    <h1>{site.domain}</h1>
    <Tag site={site} />
    <Waiting arrivals={useArrivals(site.id)} />
    <LocalhostHint />
    <p>
      <a class="button primary" href={sitePath(site.domain)}>
        {t('entry.openDashboard')}
      </a>
    </p>
  </div>
);

/**
 * Above a site's numbers until the first hit is recorded. Then the numbers refresh, and only the
 * line about the first hit stays. Sites that already had hits never show it.
 */
export const FirstHit = ({ site }: { site: SiteView }) => {
  const refresh = useContext(RefreshNowContext);
  const arrivals = useArrivals(site.id);
  const received = arrivals?.received;
  const wasMissing = useRef(false);
  if (received === false) wasMissing.current = true;
  const isFirst = received === true && wasMissing.current;
  useEffect(() => {
    if (isFirst) refresh();
  }, [isFirst, refresh]);

  if (!wasMissing.current) return null;
  return (
    <section class="first-hit sheet" aria-label={t('entry.firstHit')}>
      {!isFirst && <h2>{t('entry.noHits')}</h2>}
      {!isFirst && <Tag site={site} />}
      <Waiting arrivals={arrivals} />
      {!isFirst && <LocalhostHint />}
    </section>
  );
};

const Tag = ({ site }: { site: SiteView }) => (
  <>
    <p>{rich('entry.addTag', { head: <code>&lt;head&gt;</code> })}</p>
    <CopyField text={site.tag} label={t('settings.tag')} lines={3} />
  </>
);

const LocalhostHint = () => (
  <p class="hint">{rich('entry.localhost', { setting: <code>localStorage.tracker_debug = 1</code> })}</p>
);

/** Whether hits arrive, at whichever server takes them. */
interface Arrivals {
  /** Some hit was recorded, ever. */
  received: boolean;
  /** How the hits of the last 24 hours ended that were not recorded. */
  others: Outcomes['totals'];
}

const pollMs = 1000;

/** Says when the first hit has arrived; until then, how the hits ended that were not recorded. */
const Waiting = ({ arrivals }: { arrivals: Arrivals | null }) => {
  const received = arrivals?.received ?? false;
  const others = arrivals?.others ?? [];
  return (
    <div class={received ? 'waiting received' : 'waiting'} role="status">
      <span class="waiting-mark">{received ? <Icon name="check" /> : <span class="pulse" />}</span>
      <div>
        <p>{received ? t('entry.arrived') : t('entry.waiting')}</p>
        {!received && others.length > 0 && (
          <ul class="hint">
            {others.map(({ outcome, hits }) => (
              <li key={outcome}>
                {rich('entry.ended.outcome', {
                  count: hits,
                  outcome: <code>{outcome}</code>,
                  meaning: t(`outcome.${outcome}`),
                })}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
};

const arrivalsOf = async (client: AppClient, siteId: string): Promise<Arrivals> => {
  const [stats, { totals }] = await Promise.all([
    client.get(askSite({ id: siteId }, 'stats', { range: 'all' })),
    client.get(askSite({ id: siteId }, 'ext/outcomes', { range: '24h' })),
  ]);
  const others = totals.filter(({ outcome }) => outcome !== 'recorded').sort((a, b) => b.hits - a.hits);
  return { received: stats.visits !== 0 || others.length < totals.length, others };
};

const useArrivals = (siteId: string): Arrivals | null => {
  const { client } = useApp();
  const [arrivals, setArrivals] = useState<Arrivals | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isGone = false;
    const look = async (): Promise<void> => {
      // After a failed request comes the next one.
      const next = await arrivalsOf(client, siteId).catch(() => null);
      if (isGone) return;
      if (next !== null) setArrivals(next);
      if (next?.received !== true) timer = setTimeout(look, pollMs);
    };
    void look();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [client, siteId]);
  return arrivals;
};
