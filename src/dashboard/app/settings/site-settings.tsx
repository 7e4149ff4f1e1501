/** The settings of one site. */
import { useState } from 'preact/hooks';
import { aliasesMax, excludedIpsMax, excludedPathsMax, globCharsMax, globStarsMax } from '../../../model/limits.ts';
import { identityModes } from '../../../model/site.ts';
import type { ChangeSite, ConfirmSite, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { Actions, Field, useSubmit } from '../form/form.tsx';
import { SiteFields } from '../form/site-fields.tsx';
import { CopyField } from '../parts/copy.tsx';
import { pagePath, sitePath } from '../routes.ts';
import { rich, t } from '../texts/text.ts';
import { GoalSection } from './goal-section.tsx';
import { ImportSection } from './import-section.tsx';
import { RemovalSection } from './removal-section.tsx';
import { RollupSettings } from './rollup-settings.tsx';
import { Section } from './section.tsx';
import { ShareSection } from './share-section.tsx';
import { SuspectSection } from './suspect-section.tsx';

export const SiteSettings = () => {
  const { own } = useSite();
  if (own === null) return null;
  if (own.members !== null) return <RollupSettings key={own.id} rollup={own} />;
  return (
    <div class="settings-columns">
      <div>
        <SiteSection site={own} />
        <Section title={t('settings.tag')} note={t('settings.tag.note')}>
          <CopyField text={own.tag} label={t('settings.tag')} lines={2} />
        </Section>
        <AliasSection site={own} />
        <IdentitySection site={own} />
        <GoalSection site={own} />
      </div>
      <div>
        <ExclusionSection site={own} />
        <SuspectSection site={own} />
        <SenderSection site={own} />
        <ShareSection site={own} />
        <ImportSection site={own} />
        <RemovalSection site={own} />
        <DangerSection site={own} />
      </div>
    </div>
  );
};

/** Changes the site, and the address with it when its domain is another. */
const useChange = (site: SiteView): ((change: ChangeSite) => Promise<void>) => {
  const { client, setSite } = useApp();
  const { go } = useAddress();
  return async change => {
    const changed = await client.post<SiteView>(`/app/sites/${site.id}`, change);
    setSite(site.id, changed);
    if (changed.domain !== site.domain) go(pagePath(sitePath(changed.domain), 'settings'), { replace: true });
  };
};

const useSaved = (save: () => Promise<void>) => {
  const [done, setDone] = useState<string | null>(null);
  const form = useSubmit(async () => {
    setDone(null);
    await save();
    setDone(t('common.saved'));
  });
  return { form, done };
};

const SiteSection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const [values, setValues] = useState({ domain: site.domain, timezone: site.timezone, currency: site.currency });
  const { form, done } = useSaved(() => change(values));
  return (
    <Section title={t('settings.site')}>
      <form class="form" onSubmit={form.submit}>
        <SiteFields values={values} setValues={setValues} form={form} />
        <Actions form={form} label={t('common.save')} done={done} />
      </form>
    </Section>
  );
};

const IdentitySection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const [mode, setMode] = useState(site.identityMode);
  const { form, done } = useSaved(() => change({ identityMode: mode }));
  return (
    <Section title={t('settings.identity')} note={t('settings.identity.note')}>
      <form class="form" onSubmit={form.submit}>
        <fieldset class="choices">
          <legend class="unseen">{t('settings.identity.mode')}</legend>
          {identityModes.map(name => (
            <label key={name} class="choice">
              <input type="radio" name="identityMode" checked={mode === name} onChange={() => setMode(name)} />
              <span>
                {t(`settings.identity.${name}`)}
                <span class="field-note">{t(`settings.identity.${name}.note`)}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <Actions form={form} label={t('common.save')} done={done} disabled={mode === site.identityMode} />
      </form>
    </Section>
  );
};

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');

const ExclusionSection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const [ips, setIps] = useState(site.excludedIps.join('\n'));
  const [paths, setPaths] = useState(site.excludedPaths.join('\n'));
  const { form, done } = useSaved(() => change({ excludedIps: linesOf(ips), excludedPaths: linesOf(paths) }));
  return (
    <Section title={t('settings.exclusions')} note={t('settings.exclusions.note')}>
      <form class="form" onSubmit={form.submit}>
        <Field
          label={t('settings.exclusions.addresses')}
          name="excludedIps"
          lines={3}
          value={ips}
          onValue={setIps}
          form={form}
          note={t('settings.exclusions.addresses.note', { most: excludedIpsMax })}
        />
        <Field
          label={t('settings.exclusions.paths')}
          name="excludedPaths"
          lines={3}
          value={paths}
          onValue={setPaths}
          form={form}
          note={rich('settings.exclusions.paths.note', {
            most: excludedPathsMax,
            characters: globCharsMax,
            starsMost: globStarsMax,
            star: <code>*</code>,
            stars: <code>**</code>,
            example: <code>/admin/**</code>,
          })}
        />
        <Actions form={form} label={t('common.save')} done={done} />
      </form>
    </Section>
  );
};

const AliasSection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const [aliases, setAliases] = useState(site.aliases.join('\n'));
  const { form, done } = useSaved(() => change({ aliases: linesOf(aliases) }));
  return (
    <Section title={t('settings.aliases')} note={t('settings.aliases.note')}>
      <form class="form" onSubmit={form.submit}>
        <Field
          label={t('settings.aliases.names')}
          name="aliases"
          lines={3}
          value={aliases}
          onValue={setAliases}
          form={form}
          note={rich('settings.aliases.names.note', {
            most: aliasesMax,
            matomo: <code>matomo:1</code>,
            goatcounter: <code>goatcounter:code</code>,
          })}
        />
        <Actions form={form} label={t('common.save')} done={done} />
      </form>
    </Section>
  );
};

const SenderSection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const [hits, setHits] = useState(String(site.senderHits ?? ''));
  const [burst, setBurst] = useState(String(site.senderBurst ?? ''));
  const { form, done } = useSaved(() => change({ senderHits: hits.trim(), senderBurst: burst.trim() }));
  return (
    <Section title={t('settings.senders')} note={t('settings.senders.note')}>
      <form class="form" onSubmit={form.submit}>
        <Field label={t('settings.senders.rate')} name="senderHits" value={hits} onValue={setHits} form={form} />
        <Field label={t('settings.senders.burst')} name="senderBurst" value={burst} onValue={setBurst} form={form} />
        <Actions form={form} label={t('common.save')} done={done} />
      </form>
    </Section>
  );
};

const DangerSection = ({ site }: { site: SiteView }) => {
  const { client, setSite } = useApp();
  const { go } = useAddress();
  return (
    <Section title={t('settings.data')} note={t('settings.data.note')}>
      <div class="dangers">
        <Confirm
          site={site}
          title={t('settings.reset')}
          text={t('settings.reset.note')}
          action={t('settings.reset.action')}
          done={t('settings.reset.done')}
          run={async body => {
            await client.post(`/app/sites/${site.id}/reset`, body);
            client.forget();
          }}
        />
        <Confirm
          site={site}
          title={t('common.remove')}
          text={t('settings.removeSite.note')}
          action={t('settings.removeSite.action')}
          run={async body => {
            await client.post(`/app/sites/${site.id}/remove`, body);
            go('/', { replace: true });
            setSite(site.id, null);
          }}
        />
      </div>
    </Section>
  );
};

interface ConfirmProps {
  site: SiteView;
  title: string;
  text: string;
  action: string;
  done?: string;
  run: (body: ConfirmSite) => Promise<void>;
}

/** Runs only once the domain is typed. */
const Confirm = ({ site, title, text, action, done = '', run }: ConfirmProps) => {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [said, setSaid] = useState<string | null>(null);
  const form = useSubmit(async () => {
    setSaid(null);
    await run({ domain: typed });
    setTyped('');
    setOpen(false);
    setSaid(done);
  });
  return (
    <form class="form" onSubmit={form.submit} aria-label={title}>
      <h3>{title}</h3>
      <p>{text}</p>
      {!isOpen && (
        <div class="form-actions">
          <button type="button" class="button danger" onClick={() => setOpen(true)}>
            {t('settings.ask', { action })}
          </button>
          <p class="hint" role="status">
            {said}
          </p>
        </div>
      )}
      {isOpen && (
        <>
          <Field
            label={t('settings.typeDomain', { domain: site.domain })}
            name="domain"
            autocomplete="off"
            value={typed}
            onValue={setTyped}
            form={form}
            autofocus
          />
          <Actions form={form} label={action} danger disabled={typed.trim() !== site.domain}>
            <button type="button" class="button" onClick={() => setOpen(false)}>
              {t('common.cancel')}
            </button>
          </Actions>
        </>
      )}
    </form>
  );
};
