/** The settings of one site. */
import { useState } from 'preact/hooks';
import type { IdentityMode } from '../../../model/site.ts';
import type { ChangeSite, ConfirmSite, SiteView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp, useSite } from '../app-context.ts';
import { Actions, Field, useSubmit } from '../form/form.tsx';
import { SiteFields } from '../form/site-fields.tsx';
import { CopyField } from '../parts/copy.tsx';
import { pagePath, sitePath } from '../routes.ts';
import { GoalSection } from './goal-section.tsx';
import { RemovalSection } from './removal-section.tsx';
import { Section } from './section.tsx';
import { ShareSection } from './share-section.tsx';
import { SuspectSection } from './suspect-section.tsx';

export const SiteSettings = () => {
  const { own } = useSite();
  if (own === null) return null;
  return (
    <div class="settings">
      <SiteSection site={own} />
      <Section title="Script tag" note="Add it to the head of every page.">
        <CopyField text={own.tag} label="Script tag" lines={2} />
      </Section>
      <GoalSection site={own} />
      <AliasSection site={own} />
      <IdentitySection site={own} />
      <ExclusionSection site={own} />
      <SuspectSection site={own} />
      <SenderSection site={own} />
      <ShareSection site={own} />
      <RemovalSection site={own} />
      <DangerSection site={own} />
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
    setDone('Saved.');
  });
  return { form, done };
};

const SiteSection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const [values, setValues] = useState({ domain: site.domain, timezone: site.timezone, currency: site.currency });
  const { form, done } = useSaved(() => change(values));
  return (
    <Section title="Site">
      <form class="form" onSubmit={form.submit}>
        <SiteFields values={values} setValues={setValues} form={form} />
        <Actions form={form} label="Save" done={done} />
      </form>
    </Section>
  );
};

const identityModes: Record<IdentityMode, { label: string; meaning: string }> = {
  hash: {
    label: 'Without cookies',
    meaning:
      'A visitor is a browser on one UTC day. Nothing is stored in the browser, and nobody is recognized the next day.',
  },
  cookie: {
    label: 'With a cookie',
    meaning: 'A visitor is a browser for as long as it keeps the cookie. Most places require consent.',
  },
};

const IdentitySection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const [mode, setMode] = useState(site.identityMode);
  const { form, done } = useSaved(() => change({ identityMode: mode }));
  return (
    <Section title="Identity" note="Takes effect on the next hit of every browser.">
      <form class="form" onSubmit={form.submit}>
        <fieldset class="choices">
          <legend class="unseen">Identity mode</legend>
          {(Object.keys(identityModes) as IdentityMode[]).map(name => (
            <label key={name} class="choice">
              <input type="radio" name="identityMode" checked={mode === name} onChange={() => setMode(name)} />
              <span>
                {identityModes[name].label}
                <span class="field-note">{identityModes[name].meaning}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <Actions form={form} label="Save" done={done} disabled={mode === site.identityMode} />
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
    <Section
      title="Exclusions"
      note="Hits from these addresses and on these paths are not recorded. The Health page counts them."
    >
      <form class="form" onSubmit={form.submit}>
        <Field
          label="Addresses"
          name="excludedIps"
          lines={3}
          value={ips}
          onValue={setIps}
          form={form}
          note="One per line: an address, or a range like 203.0.113.0/24"
        />
        <Field
          label="Paths"
          name="excludedPaths"
          lines={3}
          value={paths}
          onValue={setPaths}
          form={form}
          note={
            <>
              One per line. <code>*</code> matches anything but a slash, <code>**</code> matches anything:{' '}
              <code>/admin/**</code>
            </>
          }
        />
        <Actions form={form} label="Save" done={done} />
      </form>
    </Section>
  );
};

const AliasSection = ({ site }: { site: SiteView }) => {
  const change = useChange(site);
  const [aliases, setAliases] = useState(site.aliases.join('\n'));
  const { form, done } = useSaved(() => change({ aliases: linesOf(aliases) }));
  return (
    <Section
      title="Aliases"
      note="Other names that hits and questions may use for this site, such as those another product gave it."
    >
      <form class="form" onSubmit={form.submit}>
        <Field
          label="Names"
          name="aliases"
          lines={3}
          value={aliases}
          onValue={setAliases}
          form={form}
          note={
            <>
              One per line: a domain, a UUID, <code>matomo:1</code> or <code>goatcounter:code</code>
            </>
          }
        />
        <Actions form={form} label="Save" done={done} />
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
    <Section
      title="Senders"
      note="How much one network may send, so that nobody can flood the site. Further hits are refused for a while, and the Health page counts them. Leave a field empty for the server’s own number."
    >
      <form class="form" onSubmit={form.submit}>
        <Field label="Hits a second" name="senderHits" value={hits} onValue={setHits} form={form} />
        <Field label="Hits at once" name="senderBurst" value={burst} onValue={setBurst} form={form} />
        <Actions form={form} label="Save" done={done} />
      </form>
    </Section>
  );
};

const DangerSection = ({ site }: { site: SiteView }) => {
  const { client, setSite } = useApp();
  const { go } = useAddress();
  return (
    <Section title="Data" note="These actions can’t be undone.">
      <div class="dangers">
        <Confirm
          site={site}
          title="Reset"
          text="Deletes all data of the site and keeps its settings."
          action="Delete all data"
          done="All data is deleted."
          run={async body => {
            await client.post(`/app/sites/${site.id}/reset`, body);
            client.forget();
          }}
        />
        <Confirm
          site={site}
          title="Remove"
          text="Deletes the site and all its data. Further hits are rejected."
          action="Remove the site"
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
            {action}…
          </button>
          <p class="hint" role="status">
            {said}
          </p>
        </div>
      )}
      {isOpen && (
        <>
          <Field
            label={`Type ${site.domain} to confirm`}
            name="domain"
            autocomplete="off"
            value={typed}
            onValue={setTyped}
            form={form}
            autofocus
          />
          <Actions form={form} label={action} danger disabled={typed.trim() !== site.domain}>
            <button type="button" class="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </Actions>
        </>
      )}
    </form>
  );
};
