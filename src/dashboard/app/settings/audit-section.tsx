/** What people did in a team, the newest first. */
import { useState } from 'preact/hooks';
import type { AuditList, AuditView, TeamView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { formatInstant } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { Section } from './section.tsx';

const pageRows = 50;

export const AuditSection = ({ team }: { team: TeamView }) => {
  const { me } = useApp();
  const [before, setBefore] = useState<number | null>(null);
  const path = `/app/teams/${team.id}/audit`;
  const older = before === null ? '' : `&before=${before}`;
  const answer = useAnswer<AuditList>(`${path}?limit=${pageRows}${older}`);
  const zone = me?.sites[0]?.timezone ?? 'UTC';
  const columns: TableColumn<AuditView>[] = [
    {
      ...{ name: 'what', head: t('audit.what'), isName: true },
      cell: ({ action, subject }) => (
        <>
          {t(`audit.did.${action}`)}
          {subject !== '' && <span class="field-note">{subject}</span>}
        </>
      ),
    },
    {
      ...{ name: 'who', head: t('audit.who') },
      cell: ({ actor, network }) => (
        <>
          {actor}
          {network !== '' && <span class="field-note">{network}</span>}
        </>
      ),
    },
    { name: 'when', head: t('audit.when'), cell: ({ at }) => formatInstant(at, zone) },
  ];
  return (
    <Section title={team.name} note={t('audit.note')}>
      <Answered answer={answer}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">{t('audit.none')}</p>
          ) : (
            <>
              <Table class="table audit" columns={columns} rows={data} keyOf={({ id }) => id} />
              <div class="form-actions">
                {data.length === pageRows && (
                  <button type="button" class="button" onClick={() => setBefore(data.at(-1)!.id)}>
                    {t('audit.more')}
                  </button>
                )}
                <a class="button" href={`${path}.csv`} download>
                  {t('audit.csv')}
                </a>
              </div>
            </>
          )
        }
      </Answered>
    </Section>
  );
};
