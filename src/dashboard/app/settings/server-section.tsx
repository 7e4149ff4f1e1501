/** For operators: the teams of the server, and who signs in to it. */
import { useState } from 'preact/hooks';
import type { AddTeam, ListedPerson, Me, PersonList, TeamList } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, NameField, useSubmit } from '../form/form.tsx';
import { formatAgo, formatDay, formatNumber } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { Section } from './section.tsx';

type ListedTeam = TeamList['data'][number];

export const ServerTeams = () => {
  const { client, setMe } = useApp();
  const teams = useAnswer<TeamList>('/app/teams');
  const [name, setName] = useState('');
  const form = useSubmit(async () => {
    const me = await client.post<Me>('/app/teams', { name } satisfies AddTeam);
    setName('');
    teams.retry();
    await setMe(me);
  });
  const columns: TableColumn<ListedTeam>[] = [
    { name: 'name', head: t('common.name'), isName: true, cell: team => team.name },
    {
      ...{ name: 'members', head: t('settings.members'), class: 'number' },
      cell: ({ members }) => formatNumber(members),
    },
    { ...{ name: 'sites', head: t('members.sites'), class: 'number' }, cell: ({ sites }) => formatNumber(sites) },
    { name: 'created', head: t('settings.keys.created'), cell: ({ createdAt }) => formatDay(createdAt.slice(0, 10)) },
  ];
  return (
    <Section title={t('server.teams')} note={t('server.teams.note')}>
      <Answered answer={teams}>
        {({ data }) => <Table class="table members" columns={columns} rows={data} keyOf={({ id }) => id} />}
      </Answered>
      <form class="form" onSubmit={form.submit}>
        <NameField label={t('teams.name')} value={name} onValue={setName} form={form} />
        <Actions form={form} label={t('server.teams.add')} />
      </form>
    </Section>
  );
};

export const ServerPeople = () => {
  const { me, now } = useApp();
  const people = useAnswer<PersonList>('/app/persons');
  const columns: TableColumn<ListedPerson>[] = [
    {
      ...{ name: 'email', head: t('form.email'), isName: true },
      cell: ({ email, isOperator }) => (
        <>
          {email}
          {isOperator && <span class="field-note">{t('server.operator')}</span>}
        </>
      ),
    },
    {
      ...{ name: 'teams', head: t('server.teams') },
      cell: ({ teams }) => teams.map(({ name, role }) => `${name} (${t(`role.${role}`)})`).join(', '),
    },
    {
      ...{ name: 'seen', head: t('members.seen') },
      cell: ({ isDisabled, lastSeenAt }) => {
        if (isDisabled) return t('members.disabled');
        return lastSeenAt === null ? t('settings.keys.neverUsed') : formatAgo(lastSeenAt, now());
      },
    },
    {
      ...{ name: 'disable', head: <span class="unseen">{t('server.disable')}</span>, class: 'number' },
      cell: person => person.id !== me?.person.id && <Access person={person} onChanged={people.retry} />,
    },
  ];
  return (
    <Section title={t('server.people')} note={t('server.people.note')}>
      <Answered answer={people}>
        {({ data }) => <Table class="table members" columns={columns} rows={data} keyOf={({ id }) => id} />}
      </Answered>
    </Section>
  );
};

const Access = ({ person, onChanged }: { person: ListedPerson; onChanged: () => void }) => {
  const { client } = useApp();
  const { id, email, isDisabled } = person;
  const form = useSubmit(async () => {
    await client.post<PersonList>(`/app/persons/${id}/${isDisabled ? 'enable' : 'disable'}`, {});
    onChanged();
  });
  return (
    <>
      {isDisabled ? (
        <form onSubmit={form.submit}>
          <button type="submit" class="button" aria-label={t('server.enable.of', { email })}>
            {t('server.enable')}
          </button>
        </form>
      ) : (
        <AskedButton
          form={form}
          label={t('server.disable')}
          name={t('server.disable.of', { email })}
          action={t('server.disable.now', { email })}
        />
      )}
      {form.error !== null && (
        <p class="field-error" role="alert">
          {form.error}
        </p>
      )}
    </>
  );
};
