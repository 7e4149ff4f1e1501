/** The settings of one site. */
import { useState } from 'preact/hooks';
import {
  aliasesMax,
  allowedHostsMax,
  excludedIpsMax,
  excludedPathsMax,
  globCharsMax,
  globStarsMax,
  keepDaysMax,
} from '../../../model/limits.ts';
import { identityModes } from '../../../model/site.ts';
import { utcDayName, utcDayOf } from '../../../model/time.ts';
import type { ChangeSite, ConfirmSite, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { Actions, Field, useSubmit } from '../form/form.tsx';
import { SiteFields } from '../form/site-fields.tsx';
import { useEdited } from '../form/use-edited.ts';
import { formatDay } from '../format.ts';
import { CopyField } from '../parts/copy.tsx';
import { pagePath, sitePath } from '../routes.ts';
import { rich, t } from '../texts/text.ts';
import { ImportSection } from './import-section.tsx';
import { KeySection } from './key-section.tsx';
import { alertsPart, goalsPart, reportsPart, sharePart } from './parts.tsx';
import { RemovalSection } from './removal-section.tsx';
import { RollupSettings } from './rollup-settings.tsx';
import { Section } from './section.tsx';
import { SettingsFrame, type SettingsPart } from './settings-frame.tsx';
import { SuspectSection } from './suspect-section.tsx';

export const SiteSettings = () => {
  const { own } = useSite();
  if (own === null) return null;
  return own.members === null ? <OneSite key={own.id} site={own} /> : <RollupSettings key={own.id} rollup={own} />;
};

const OneSite = ({ site }: { site: SiteView }) => {
  const { rights } = useSite();
  return <SettingsFrame parts={partsOf(site).filter(({ right }) => right === undefined || rights.has(right))} />;
};

/** Each with the right that it takes. */
const partsOf = (site: SiteView): SettingsPart[] => [
  {
    ...{ name: 'general', label: t('settings.general'), docs: 'tracker' },
    content: <GeneralPart site={site} />,
  },
  {
    ...{ name: 'tracking', label: t('settings.tracking'), docs: 'collecting', right: 'settings' },
    content: <TrackingPart site={site} />,
  },
  goalsPart(site),
  alertsPart(site),
  sharePart(site),
  reportsPart(site),
  {
    ...{ name: 'api', label: t('settings.api'), docs: 'api', right: 'keys' },
    content: <KeySection team={site.team} site={site} />,
  },
  {
    ...{ name: 'imports', label: t('settings.imports'), docs: 'importing', right: 'import' },
    content: <ImportSection site={site} />,
  },
  {
    ...{ name: 'spam', label: t('settings.spam'), docs: 'operations#removing-hits-and-putting-them-back' },
    right: 'leaveOut',
    content: (
      <>
        <RemovalSection site={site} />
        <SuspectSection site={site} />
      </>
    ),
  },
  {
    ...{ name: 'delete', label: t('settings.danger'), docs: 'operations#deleting', right: 'reset' },
    content: (
      <>
        <KeepSection site={site} />
        <DangerSection site={site} />
      </>
    ),
  },
];

const GeneralPart = ({ site }: { site: SiteView }) => {
  const { rights } = useSite();
  return (
    <>
      <Managed site={site} />
      {rights.has('settings') && <SiteSection site={site} />}
      <Section title={t('settings.tag')} note={t('settings.tag.note')} isOther>
        <CopyField text={site.tag} label={t('settings.tag')} lines={2} />
      </Section>
    </>
  );
};

const TrackingPart = ({ site }: { site: SiteView }) => {
  const { rights } = useSite();
  return (
    <>
      <Managed site={site} />
      {rights.has('reset') && <IdentitySection site={site} />}
      <ExclusionSection site={site} />
      <SenderSection site={site} />
      <AliasSection site={site} />
    </>
  );
};

/** Says which settings are a file's. */
const Managed = ({ site: { managed } }: { site: SiteView }) =>
  managed && (
    <p class="hint">
      <span aria-hidden="true">🔒</span>{' '}
      {t('settings.managed', { file: managed.file, fields: managed.fields.join(', ') })}
    </p>
  );

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

const SiteSection = ({ site }: { site: SiteView }) => {
  const { domain, timezone, currency } = site;
  const { values, setValues, form, end } = useEdited({ domain, timezone, currency }, useChange(site));
  return (
    <Section title={t('settings.site')}>
      <form class="form" onSubmit={form.submit}>
        <SiteFields values={values} setValues={setValues} form={form} />
        <Actions {...end} />
      </form>
    </Section>
  );
};

const IdentitySection = ({ site }: { site: SiteView }) => {
  const { identityMode } = site;
  const { values, setValues, form, end } = useEdited({ identityMode }, useChange(site));
  return (
    <Section title={t('settings.identity')} note={t('settings.identity.note')}>
      <form class="form" onSubmit={form.submit}>
        <fieldset class="choices">
          <legend class="unseen">{t('settings.identity.mode')}</legend>
          {identityModes.map(name => (
            <label key={name} class="choice">
              <input
                type="radio"
                name="identityMode"
                checked={values.identityMode === name}
                onChange={() => setValues({ identityMode: name })}
              />
              <span>
                {t(`settings.identity.${name}`)}
                <span class="field-note">{t(`settings.identity.${name}.note`)}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <Actions {...end} />
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
  const { values, setValues, form, end } = useEdited(
    {
      ...{ ips: site.excludedIps.join('\n'), paths: site.excludedPaths.join('\n') },
      ...{ hosts: site.allowedHosts.join('\n'), countries: site.excludedCountries.join(' ') },
    },
    ({ ips, paths, hosts, countries }) =>
      change({
        ...{ excludedIps: linesOf(ips), excludedPaths: linesOf(paths), allowedHosts: linesOf(hosts) },
        excludedCountries: countries.split(/[\s,]+/),
      }),
  );
  return (
    <Section title={t('settings.exclusions')} note={t('settings.exclusions.note')}>
      <form class="form" onSubmit={form.submit}>
        <Field
          label={t('settings.exclusions.addresses')}
          name="excludedIps"
          lines={3}
          value={values.ips}
          onValue={ips => setValues({ ...values, ips })}
          form={form}
          note={t('settings.exclusions.addresses.note', { most: excludedIpsMax })}
        />
        <Field
          label={t('settings.exclusions.paths')}
          name="excludedPaths"
          lines={3}
          value={values.paths}
          onValue={paths => setValues({ ...values, paths })}
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
        <Field
          label={t('settings.exclusions.countries')}
          name="excludedCountries"
          value={values.countries}
          onValue={countries => setValues({ ...values, countries })}
          form={form}
          note={t('settings.exclusions.countries.note')}
        />
        <Field
          label={t('settings.exclusions.hosts')}
          name="allowedHosts"
          lines={3}
          value={values.hosts}
          onValue={hosts => setValues({ ...values, hosts })}
          form={form}
          note={t('settings.exclusions.hosts.note', { most: allowedHostsMax })}
        />
        <Actions {...end} />
      </form>
    </Section>
  );
};

const AliasSection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const { values, setValues, form, end } = useEdited(site.aliases.join('\n'), text =>
    change({ aliases: linesOf(text) }),
  );
  return (
    <Section title={t('settings.aliases')} note={t('settings.aliases.note')}>
      <form class="form" onSubmit={form.submit}>
        <Field
          label={t('settings.aliases.names')}
          name="aliases"
          lines={3}
          value={values}
          onValue={setValues}
          form={form}
          note={rich('settings.aliases.names.note', {
            most: aliasesMax,
            matomo: <code>matomo:1</code>,
            goatcounter: <code>goatcounter:code</code>,
          })}
        />
        <Actions {...end} />
      </form>
    </Section>
  );
};

const SenderSection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const { values, setValues, form, end } = useEdited(
    { hits: String(site.senderHits ?? ''), burst: String(site.senderBurst ?? '') },
    ({ hits, burst }) => change({ senderHits: hits.trim(), senderBurst: burst.trim() }),
  );
  return (
    <Section title={t('settings.senders')} note={t('settings.senders.note')}>
      <form class="form" onSubmit={form.submit}>
        <Field
          label={t('settings.senders.rate')}
          name="senderHits"
          value={values.hits}
          onValue={hits => setValues({ ...values, hits })}
          form={form}
        />
        <Field
          label={t('settings.senders.burst')}
          name="senderBurst"
          value={values.burst}
          onValue={burst => setValues({ ...values, burst })}
          form={form}
        />
        <Actions {...end} />
      </form>
    </Section>
  );
};

const KeepSection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const { now } = useApp();
  const { values, setValues, form, end } = useEdited(String(site.keepDays ?? ''), days =>
    change({ keepDays: days.trim() }),
  );
  const days = Number(values);
  const first = days > 0 && days <= keepDaysMax ? utcDayName(utcDayOf(now()) - days) : null;
  return (
    <Section title={t('settings.keep')} note={t('settings.keep.note')}>
      <form class="form" onSubmit={form.submit}>
        <Field
          label={t('settings.keep.days')}
          name="keepDays"
          value={values}
          onValue={setValues}
          form={form}
          note={first === null ? t('settings.keep.all') : t('settings.keep.before', { date: formatDay(first) })}
        />
        <Actions {...end} />
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
