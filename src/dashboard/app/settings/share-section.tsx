/** The public page of a site: creating it, a new address, removing it. */
import { useEffect, useRef } from 'preact/hooks';
import { type PublicPart, publicPartNames } from '../../../model/public-parts.ts';
import type { ChangeSite, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, Checkbox, Field, useSubmit } from '../form/form.tsx';
import { useEdited } from '../form/use-edited.ts';
import { CopyField } from '../parts/copy.tsx';
import { t } from '../texts/text.ts';
import { Section } from './section.tsx';

export const ShareSection = ({ site }: { site: SiteView }) => {
  const { client, setSite } = useApp();
  const post = async (path: string): Promise<void> => {
    setSite(site.id, await client.post<SiteView>(`/app/sites/${site.id}/${path}`, {}));
  };
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(site.shareUrl);
  // What was pressed has gone; what came in its place is looked at next.
  useEffect(() => {
    if (before.current === null && site.shareUrl !== null) place.current?.querySelector('button')?.focus();
    before.current = site.shareUrl;
  }, [site.shareUrl]);
  const share = useSubmit(() => post('share'));
  const withdraw = useSubmit(() => post('share/withdraw'));
  return (
    <Section title={t('settings.share')} note={t('settings.share.note')}>
      {site.shareUrl === null ? (
        <form onSubmit={share.submit}>
          <Actions form={share} label={t('settings.share.create')} />
        </form>
      ) : (
        <div class="form" ref={place}>
          <CopyField text={site.shareUrl} label={t('settings.share.address')} />
          <div class="form-actions">
            <AskedButton
              form={share}
              label={t('settings.share.newAddress')}
              action={t('settings.share.newAddress.now')}
              note={t('settings.share.newAddress.note')}
            />
            <AskedButton
              form={withdraw}
              label={t('common.remove')}
              action={t('settings.share.remove')}
              note={t('settings.share.remove.note')}
              danger
            />
            {(share.error ?? withdraw.error) !== null && (
              <p class="field-error" role="alert">
                {share.error ?? withdraw.error}
              </p>
            )}
          </div>
          <PartsForm site={site} />
          <EmbedForm site={site} shareUrl={site.shareUrl} />
        </div>
      )}
    </Section>
  );
};

/** Which hosts may show the page in a frame, and what to put into their pages. */
const EmbedForm = ({ site, shareUrl }: { site: SiteView; shareUrl: string }) => {
  const { client, setSite } = useApp();
  const {
    values: hosts,
    setValues: setHosts,
    form,
    end,
  } = useEdited(site.embedHosts.join('\n'), async text => {
    const change: ChangeSite = { embedHosts: text.split('\n').map(host => host.trim()) };
    setSite(site.id, await client.post<SiteView>(`/app/sites/${site.id}`, change));
  });
  const snippet = `<iframe src="${shareUrl}" title="${site.domain}" loading="lazy" style="width: 100%; height: 1200px; border: 0"></iframe>`;
  return (
    <form class="form" onSubmit={form.submit}>
      <Field
        label={t('share.hosts')}
        name="embedHosts"
        note={t('share.hosts.note')}
        lines={2}
        value={hosts}
        onValue={setHosts}
        form={form}
      />
      <Actions {...end} label={t('share.save')} />
      {site.embedHosts.length > 0 && <CopyField text={snippet} label={t('share.snippet')} lines={3} />}
    </form>
  );
};

/** What the page shows besides the numbers. */
const PartsForm = ({ site }: { site: SiteView }) => {
  const { client, setSite } = useApp();
  const {
    values: shown,
    setValues: setShown,
    form,
    end,
  } = useEdited<readonly PublicPart[]>(site.publicParts, async parts => {
    const change: ChangeSite = { publicParts: [...parts] };
    setSite(site.id, await client.post<SiteView>(`/app/sites/${site.id}`, change));
  });
  return (
    <form class="form" onSubmit={form.submit}>
      <fieldset class="choices">
        <legend>{t('settings.share.parts')}</legend>
        {publicPartNames.map(part => (
          <Checkbox
            key={part}
            label={t(`part.${part}`)}
            note={t(`part.${part}.meaning`)}
            checked={shown.includes(part)}
            onChange={checked => setShown(checked ? [...shown, part] : shown.filter(name => name !== part))}
          />
        ))}
      </fieldset>
      <Actions {...end} />
    </form>
  );
};
