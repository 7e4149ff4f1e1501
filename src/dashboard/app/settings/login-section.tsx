/** Where somebody is signed in, and ending it from afar. */
import type { LoginList, LoginView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { Actions, useSubmit } from '../form/form.tsx';
import { formatAgo, formatDay } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { Section } from './section.tsx';

export const LoginSection = () => {
  const { client } = useApp();
  const logins = useAnswer<LoginList>('/app/account/logins');
  const others = useSubmit(async () => {
    await client.post('/app/account/logins/end-others', {});
    logins.retry();
  });
  return (
    <Section title={t('settings.logins')} note={t('settings.logins.note')}>
      <Answered answer={logins}>
        {({ data }) => (
          <>
            <LoginTable logins={data} onEnded={logins.retry} />
            {data.length > 1 && (
              <form class="form" onSubmit={others.submit}>
                <Actions form={others} label={t('settings.logins.endOthers')} />
              </form>
            )}
          </>
        )}
      </Answered>
    </Section>
  );
};

const LoginTable = ({ logins, onEnded }: { logins: readonly LoginView[]; onEnded: () => void }) => (
  <table class="table keys">
    <thead>
      <tr>
        <th scope="col">{t('settings.logins.where')}</th>
        <th scope="col">{t('settings.logins.method')}</th>
        <th scope="col">{t('settings.logins.since')}</th>
        <th scope="col">{t('settings.keys.used')}</th>
        <th scope="col">
          <span class="unseen">{t('settings.logins.end')}</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {logins.map(login => (
        <LoginRow key={login.id} login={login} onEnded={onEnded} />
      ))}
    </tbody>
  </table>
);

const methodTexts = {
  password: 'settings.logins.password',
  passkey: 'settings.logins.passkey',
  oidc: 'settings.logins.oidc',
  link: 'settings.logins.link',
} as const;

const LoginRow = ({ login, onEnded }: { login: LoginView; onEnded: () => void }) => {
  const { client, now, ways } = useApp();
  const form = useSubmit(async () => {
    await client.post(`/app/account/logins/${login.id}/end`, {});
    onEnded();
  });
  const { label, method, isThis, begunAt, usedAt } = login;
  const name = label === '' ? t('settings.logins.unknown') : label;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{method === 'oidc' && ways.provider !== null ? ways.provider : t(methodTexts[method])}</td>
      <td>{begunAt === null ? '' : formatDay(begunAt.slice(0, 10))}</td>
      <td>{isThis ? t('settings.logins.this') : formatAgo(usedAt, now())}</td>
      <td class="number">
        {!isThis && (
          <form onSubmit={form.submit}>
            <button type="submit" class="button" aria-label={t('settings.logins.endNamed', { name })}>
              {t('settings.logins.end')}
            </button>
          </form>
        )}
      </td>
    </tr>
  );
};
