/** What people did in a team, the newest first. */
import { useState } from 'preact/hooks';
import type { AuditList, TeamView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { formatInstant } from '../format.ts';
import { Answered } from '../parts/states.tsx';
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
  return (
    <Section title={team.name} note={t('audit.note')}>
      <Answered answer={answer}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">{t('audit.none')}</p>
          ) : (
            <>
              <table class="table audit">
                <thead>
                  <tr>
                    <th scope="col">{t('audit.when')}</th>
                    <th scope="col">{t('audit.who')}</th>
                    <th scope="col">{t('audit.what')}</th>
                  </tr>
                </thead>
                <tbody>
                  {data.map(({ id, at, actor, action, subject, network }) => (
                    <tr key={id}>
                      <td>{formatInstant(at, zone)}</td>
                      <th scope="row">
                        {actor}
                        {network !== '' && <span class="field-note">{network}</span>}
                      </th>
                      <td>
                        <code>{action}</code> {subject}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              <div class="form-actions">
                {data.length === pageRows && (
                  <button type="button" class="button" onClick={() => setBefore(data.at(-1)!.id)}>
                    {t('audit.more')}
                  </button>
                )}
                <a class="button quiet" href={`${path}.csv`} download>
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
