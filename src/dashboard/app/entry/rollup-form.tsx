/** Making and changing a rollup: its name and its sites. */
import { useState } from 'preact/hooks';
import type { AddRollup, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, Checkbox, Field, useSubmit } from '../form/form.tsx';
import { useIsChanged } from '../form/use-edited.ts';
import { Dialog } from '../parts/dialog.tsx';
import { t } from '../texts/text.ts';

interface RollupFormProps {
  /** The rollup to change; null for a new one. */
  rollup: SiteView | null;
  onSaved: (saved: SiteView) => void;
}

export const RollupForm = ({ rollup, onSaved }: RollupFormProps) => {
  const { me, client, setSite } = useApp();
  const [name, setName] = useState(rollup?.domain ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(rollup?.members ?? []);
  const isChanged = useIsChanged([name, chosen]);
  const form = useSubmit(async () => {
    // All sites of a rollup are of one team.
    const team = me?.sites.find(({ id }) => id === chosen[0])?.team;
    const body: AddRollup = { name, sites: [...chosen], ...(team !== undefined && { team }) };
    const saved = await client.post<SiteView>(`/app/rollups${rollup === null ? '' : `/${rollup.id}`}`, body);
    client.forget();
    setSite(saved.id, saved);
    onSaved(saved);
  });
  const error = form.errorOf('sites');
  return (
    <form class="form" onSubmit={form.submit}>
      <Field label={t('rollups.name')} name="name" required value={name} onValue={setName} form={form} />
      <fieldset class="choices rollup-sites">
        <legend>{t('rollups.sites')}</legend>
        {me?.sites
          .filter(({ members }) => members === null)
          .map(({ id, domain }) => (
            <Checkbox
              key={id}
              label={domain}
              checked={chosen.includes(id)}
              onChange={checked => setChosen(checked ? [...chosen, id] : chosen.filter(other => other !== id))}
            />
          ))}
        {error !== null && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
      </fieldset>
      <Actions
        form={form}
        label={rollup === null ? t('rollups.create') : t('common.save')}
        disabled={rollup !== null && !isChanged}
      />
    </form>
  );
};

/** Its sites stay. */
export const RemoveRollup = ({ rollup, onRemoved }: { rollup: SiteView; onRemoved: () => void }) => {
  const { client, setSite } = useApp();
  const form = useSubmit(async () => {
    await client.post(`/app/rollups/${rollup.id}/remove`, {});
    onRemoved();
    setSite(rollup.id, null);
  });
  return (
    <AskedButton
      form={form}
      label={t('rollups.remove')}
      action={t('rollups.remove')}
      note={t('rollups.remove.note')}
      danger
    />
  );
};

export const RollupDialog = ({ rollup, onClose }: { rollup: SiteView | null; onClose: () => void }) => (
  <Dialog title={rollup === null ? t('rollups.add') : rollup.domain} onClose={onClose}>
    <p class="hint">{t('rollups.note')}</p>
    <RollupForm rollup={rollup} onSaved={onClose} />
    {rollup !== null && <RemoveRollup rollup={rollup} onRemoved={onClose} />}
  </Dialog>
);
