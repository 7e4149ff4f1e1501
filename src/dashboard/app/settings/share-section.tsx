/** The public page of a site: creating it, a new address, removing it. */
import { useState } from 'preact/hooks';
import { type PublicPart, publicPartNames, publicParts } from '../../../model/public-parts.ts';
import type { ChangeSite, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, Checkbox, useSubmit } from '../form/form.tsx';
import { CopyField } from '../parts/copy.tsx';
import { Section } from './section.tsx';

export const ShareSection = ({ site }: { site: SiteView }) => {
  const { client, setSite } = useApp();
  const post = async (path: string): Promise<void> => {
    setSite(site.id, await client.post<SiteView>(`/app/sites/${site.id}/${path}`, {}));
  };
  const share = useSubmit(() => post('share'));
  const withdraw = useSubmit(() => post('share/withdraw'));
  return (
    <Section
      title="Public page"
      note="A read-only page for everyone who has the address. It shows numbers, and no single visits. Search engines are asked not to index it."
    >
      {site.shareUrl === null ? (
        <form onSubmit={share.submit}>
          <Actions form={share} label="Create public page" />
        </form>
      ) : (
        <div class="form">
          <CopyField text={site.shareUrl} label="Public address" />
          <div class="form-actions">
            <AskedButton
              form={share}
              label="New address"
              action="Replace the address now"
              note="The current address stops working at once, also where it is embedded."
            />
            <AskedButton
              form={withdraw}
              label="Remove"
              action="Remove the public page now"
              note="Nobody can open its address any more."
              danger
            />
            {(share.error ?? withdraw.error) !== null && (
              <p class="field-error" role="alert">
                {share.error ?? withdraw.error}
              </p>
            )}
          </div>
          <PartsForm site={site} />
        </div>
      )}
    </Section>
  );
};

/** What the page shows besides the numbers. */
const PartsForm = ({ site }: { site: SiteView }) => {
  const { client, setSite } = useApp();
  const [shown, setShown] = useState<readonly PublicPart[]>(site.publicParts);
  const [done, setDone] = useState<string | null>(null);
  const form = useSubmit(async () => {
    setDone(null);
    const change: ChangeSite = { publicParts: [...shown] };
    setSite(site.id, await client.post<SiteView>(`/app/sites/${site.id}`, change));
    setDone('Saved.');
  });
  return (
    <form class="form" onSubmit={form.submit}>
      <fieldset class="choices">
        <legend>It also shows</legend>
        {publicPartNames.map(part => (
          <Checkbox
            key={part}
            label={publicParts[part].label}
            note={publicParts[part].meaning}
            checked={shown.includes(part)}
            onChange={checked => setShown(checked ? [...shown, part] : shown.filter(name => name !== part))}
          />
        ))}
      </fieldset>
      <Actions form={form} label="Save" done={done} />
    </form>
  );
};
