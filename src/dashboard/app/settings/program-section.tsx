/** Programs that may ask for the person who is signed in, and their end. */
import type { Programs, ProgramView, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { useSubmit } from '../form/form.tsx';
import { formatAgo, formatDay } from '../format.ts';
import { Answered } from '../parts/states.tsx';
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
            <table class="table keys">
              <thead>
                <tr>
                  <th scope="col">{t('common.name')}</th>
                  <th scope="col">{t('settings.programs.sites')}</th>
                  <th scope="col">{t('settings.programs.since')}</th>
                  <th scope="col">{t('settings.keys.used')}</th>
                  <th scope="col">
                    <span class="unseen">{t('settings.keys.revoke')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.map(program => (
                  <ProgramRow key={program.id} program={program} sites={sites} onRemoved={programs.retry} />
                ))}
              </tbody>
            </table>
          )
        }
      </Answered>
    </Section>
  );
};

interface RowProps {
  program: ProgramView;
  sites: readonly SiteView[];
  onRemoved: () => void;
}

const ProgramRow = ({ program, sites, onRemoved }: RowProps) => {
  const { client, now } = useApp();
  const form = useSubmit(async () => {
    await client.post(`/app/programs/${program.id}/remove`, {});
    onRemoved();
  });
  const { name, host, createdAt, lastUsedAt } = program;
  const domains = program.sites?.map(id => sites.find(site => site.id === id)?.domain ?? id);
  return (
    <tr>
      <th scope="row">
        {name}
        <div class="hint">{host}</div>
      </th>
      <td>{domains === undefined ? t('authorize.allSites') : domains.join(', ')}</td>
      <td>{formatDay(createdAt.slice(0, 10))}</td>
      <td>{lastUsedAt === null ? t('settings.keys.neverUsed') : formatAgo(lastUsedAt, now())}</td>
      <td class="number">
        <AskedButton
          form={form}
          label={t('settings.keys.revoke')}
          name={t('settings.keys.revokeNamed', { name })}
          action={t('settings.keys.revokeNow', { name })}
        />
      </td>
    </tr>
  );
};
