/** What an owner decides about a team: its name, second factors, and its end. */
import { useState } from 'preact/hooks';
import type { ChangeTeam, Me, TeamView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { Actions, Checkbox, Field, NameField, useSubmit } from '../form/form.tsx';
import { useEdited } from '../form/use-edited.ts';
import { t } from '../texts/text.ts';
import { Section } from './section.tsx';

export const TeamSection = ({ team }: { team: TeamView }) => {
  const { client, setMe } = useApp();
  const { name, requireSecondFactor } = team;
  const { values, setValues, form, end } = useEdited({ name, requireSecondFactor }, async typed => {
    await setMe(await client.post<Me>(`/app/teams/${team.id}`, typed satisfies ChangeTeam));
  });
  return (
    <Section title={name} note={t('teams.note')}>
      <form class="form" onSubmit={form.submit}>
        <NameField
          label={t('teams.name')}
          value={values.name}
          onValue={typed => setValues({ ...values, name: typed })}
          form={form}
        />
        <Checkbox
          label={t('teams.secondFactor')}
          note={t('teams.secondFactor.note')}
          checked={values.requireSecondFactor}
          onChange={isOn => setValues({ ...values, requireSecondFactor: isOn })}
        />
        <Actions {...end} />
      </form>
      <RemoveTeam team={team} />
    </Section>
  );
};

const RemoveTeam = ({ team: { id, name } }: { team: TeamView }) => {
  const { client, setMe } = useApp();
  const [typed, setTyped] = useState('');
  const form = useSubmit(async () => {
    await client.post(`/app/teams/${id}/remove`, { name: typed });
    await setMe(await client.get<Me>('/app/me'));
  });
  return (
    <details class="choices-more">
      <summary>{t('teams.remove')}</summary>
      <form class="form" onSubmit={form.submit}>
        <Field
          label={t('teams.remove.type', { name })}
          name="name"
          autocomplete="off"
          required
          note={t('teams.remove.note')}
          value={typed}
          onValue={setTyped}
          form={form}
        />
        <Actions form={form} label={t('teams.remove.now')} danger disabled={typed !== name} />
      </form>
    </details>
  );
};
