/** Which suspect visits a site leaves out of its numbers. */
import { useState } from 'preact/hooks';
import { type SuspectReason, suspectReasonNames, suspectReasons } from '../../../model/suspects.ts';
import type { ChangeSite, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { Actions, Checkbox, useSubmit } from '../form/form.tsx';
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
    setDone('Saved.');
  });
  return (
    <Section
      title="Suspect visits"
      note="Visits that look automated can be left out of all numbers, of past days too. Nothing is deleted, and the Health and Crawlers pages count them."
    >
      <form class="form" onSubmit={form.submit}>
        <fieldset class="choices">
          <legend>Leave out</legend>
          {suspectReasonNames.map(reason => (
            <Checkbox
              key={reason}
              label={suspectReasons[reason].label}
              note={suspectReasons[reason].note}
              checked={leftOut.includes(reason)}
              onChange={checked => setLeftOut(checked ? [...leftOut, reason] : leftOut.filter(name => name !== reason))}
            />
          ))}
        </fieldset>
        <Actions form={form} label="Save" done={done} />
      </form>
    </Section>
  );
};
