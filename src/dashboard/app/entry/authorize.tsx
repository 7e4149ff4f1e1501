/** A program asks for access: who gets it, to which sites, and for what. */
import { useEffect, useState } from 'preact/hooks';
import type { AllowProgram, GoTo, ProgramAsks, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';
import { Actions, Checkbox, useSubmit } from '../form/form.tsx';
import { SkeletonRows } from '../parts/states.tsx';
import { rich, t } from '../texts/text.ts';

export const AuthorizePage = () => {
  const { client, me } = useApp();
  const { search: asked } = useAddress();
  const search = String(asked);
  const [asks, setAsks] = useState<ProgramAsks | null>(null);
  const [error, setError] = useState<string | null>(null);

  useEffect(() => {
    client.post<ProgramAsks>('/app/programs/ask', { search }).then(setAsks, (failure: unknown) => {
      if (failure instanceof RequestFailed) setError(failure.message);
    });
  }, [client, search]);

  if (error !== null)
    return (
      <div class="entry">
        <h1>{t('authorize.bad')}</h1>
        <p role="alert">{error}</p>
        <p>{t('authorize.bad.note')}</p>
      </div>
    );
  if (asks === null || me === null) return <SkeletonRows count={4} />;
  return <Consent asks={asks} sites={me.sites} search={search} />;
};

interface ConsentProps {
  asks: ProgramAsks;
  sites: readonly SiteView[];
  search: string;
}

const Consent = ({ asks, sites, search }: ConsentProps) => {
  const { client } = useApp();
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const [notes, setNotes] = useState(false);
  const allow = useSubmit(async () => {
    const scopes = notes ? ['read', 'notes'] : ['read'];
    const given: AllowProgram = { search, scopes, sites: chosen === null ? null : [...chosen] };
    location.assign((await client.post<GoTo>('/app/programs/allow', given)).location);
  });
  const deny = useSubmit(async () => {
    location.assign((await client.post<GoTo>('/app/programs/deny', { search })).location);
  });
  const { name, host, ownHost } = asks;
  const strong = (inner: unknown) => <strong>{inner as string}</strong>;
  return (
    <div class="entry">
      <h1>{t('authorize.title', { name })}</h1>
      <p>{rich('authorize.host', { strong, host })}</p>
      <p class="hint">
        {ownHost === null ? t('authorize.registered') : rich('authorize.known', { strong, host: ownHost })}
      </p>
      <p class="hint">{t('authorize.leaves')}</p>
      <form class="form" onSubmit={allow.submit}>
        <fieldset class="choices">
          <legend>{t('authorize.sites')}</legend>
          <Checkbox
            label={t('authorize.allSites')}
            note={t('authorize.allSites.note')}
            checked={chosen === null}
            onChange={all => setChosen(all ? null : [])}
          />
          {chosen !== null &&
            sites.map(({ id, domain }) => (
              <Checkbox
                key={id}
                label={domain}
                checked={chosen.includes(id)}
                onChange={isChosen => setChosen(isChosen ? [...chosen, id] : chosen.filter(other => other !== id))}
              />
            ))}
        </fieldset>
        {asks.scopes.includes('notes') && (
          <Checkbox label={t('authorize.notes')} note={t('authorize.notes.note')} checked={notes} onChange={setNotes} />
        )}
        {deny.error !== null && <p role="alert">{deny.error}</p>}
        <Actions form={allow} label={t('authorize.allow')} disabled={chosen?.length === 0}>
          <button type="button" class="button" onClick={deny.submit}>
            {t('authorize.deny')}
          </button>
        </Actions>
      </form>
    </div>
  );
};
