/** Which suspect visits a site leaves out of its numbers. */
import { useState } from 'preact/hooks';
import { type SuspectReason, suspectReasonNames } from '../../../model/suspects.ts';
import type { ChangeSite, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { Actions, Checkbox, useSubmit } from '../form/form.tsx';
import { t } from '../texts/text.ts';
import { Section } from './section.tsx';

export const SuspectSection = ({ site }: { site: SiteView }) => {
  const { client, setSite } = useApp();
  const [leftOut, setLeftOut] = useState<readonly SuspectReason[]>(site.leftOut);
  const [done, setDone] = useState<string | null>(null);
  const form = useSubmit(async () => {
    setDone(null);
    const change: ChangeSite = { leftOut: [...leftOut] };
    setSite(site.id, await client.post<SiteView>(`/app/sites/${site.id}`, change));
    client.forget();
    setDone(t('common.saved'));
  });
  return (
    <Section title={t('settings.suspects')} note={t('settings.suspects.note')}>
      <form class="form" onSubmit={form.submit}>
        <fieldset class="choices">
          <legend>{t('settings.suspects.leaveOut')}</legend>
          {suspectReasonNames.map(reason => (
            <Checkbox
              key={reason}
              label={t(`suspect.${reason}`)}
              note={t(`suspect.${reason}.note`)}
              checked={leftOut.includes(reason)}
              onChange={checked => setLeftOut(checked ? [...leftOut, reason] : leftOut.filter(name => name !== reason))}
            />
          ))}
        </fieldset>
        <Actions form={form} label={t('common.save')} done={done} />
      </form>
    </Section>
  );
};
