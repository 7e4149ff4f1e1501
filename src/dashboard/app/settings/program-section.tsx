/** Programs that may ask for the person who is signed in, and their end. */
import type { Programs, ProgramView, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { useSubmit } from '../form/form.tsx';
import { formatAgo, formatDay } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { Section } from './section.tsx';

export const ProgramSection = ({ sites }: { sites: readonly SiteView[] }) => {
  const programs = useAnswer<Programs>('/app/programs');
  return (
    <Section title={t('settings.programs')} note={t('settings.programs.note')}>
      <Answered answer={programs}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">{t('settings.programs.none')}</p>
          ) : (
            <ProgramTable programs={data} sites={sites} onRemoved={programs.retry} />
          )
        }
      </Answered>
    </Section>
  );
};

interface ProgramTableProps {
  programs: readonly ProgramView[];
  sites: readonly SiteView[];
  onRemoved: () => void;
}

const ProgramTable = ({ programs, sites, onRemoved }: ProgramTableProps) => {
  const { now } = useApp();
  const domainOf = (id: string): string => sites.find(site => site.id === id)?.domain ?? id;
  const columns: TableColumn<ProgramView>[] = [
    {
      ...{ name: 'name', head: t('common.name'), isName: true },
      cell: ({ name, host }) => (
        <>
          {name}
          <div class="hint">{host}</div>
        </>
      ),
    },
    {
      ...{ name: 'sites', head: t('settings.programs.sites') },
      cell: ({ sites: own }) => (own === null ? t('authorize.allSites') : own.map(domainOf).join(', ')),
    },
    { name: 'since', head: t('settings.programs.since'), cell: ({ createdAt }) => formatDay(createdAt.slice(0, 10)) },
    {
      ...{ name: 'used', head: t('settings.keys.used') },
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('settings.keys.neverUsed') : formatAgo(lastUsedAt, now())),
    },
    {
      ...{ name: 'revoke', head: <span class="unseen">{t('settings.keys.revoke')}</span>, class: 'number' },
      cell: program => <RemoveProgram program={program} onRemoved={onRemoved} />,
    },
  ];
  return <Table class="table keys" columns={columns} rows={programs} keyOf={({ id }) => id} />;
};

const RemoveProgram = ({ program: { id, name }, onRemoved }: { program: ProgramView; onRemoved: () => void }) => {
  const { client } = useApp();
  const form = useSubmit(async () => {
    await client.post(`/app/programs/${id}/remove`, {});
    onRemoved();
  });
  return (
    <AskedButton
      form={form}
      label={t('settings.keys.revoke')}
      name={t('settings.keys.revokeNamed', { name })}
      action={t('settings.keys.revokeNow', { name })}
    />
  );
};
