/** Which suspect visits a site leaves out of its numbers. */
import { type SuspectReason, suspectReasonNames } from '../../../model/suspects.ts';
import type { ChangeSite, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { Actions, Checkbox } from '../form/form.tsx';
import { useEdited } from '../form/use-edited.ts';
import { t } from '../texts/text.ts';
import { Section } from './section.tsx';

export const SuspectSection = ({ site }: { site: SiteView }) => {
  const { client, setSite } = useApp();
  const {
    values: leftOut,
    setValues,
    form,
    end,
  } = useEdited<readonly SuspectReason[]>(site.leftOut, async reasons => {
    const change: ChangeSite = { leftOut: [...reasons] };
    setSite(site.id, await client.post<SiteView>(`/app/sites/${site.id}`, change));
    client.forget();
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
              onChange={checked => setValues(checked ? [...leftOut, reason] : leftOut.filter(name => name !== reason))}
            />
          ))}
        </fieldset>
        <Actions {...end} />
      </form>
    </Section>
  );
};
