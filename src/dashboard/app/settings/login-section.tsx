/** Where somebody is signed in, and ending it from afar. */
import type { LoginList, LoginView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { Actions, useSubmit } from '../form/form.tsx';
import { formatAgo, formatDay } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
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

const methodTexts = {
  password: 'settings.logins.password',
  passkey: 'settings.logins.passkey',
  oidc: 'settings.logins.oidc',
  link: 'settings.logins.link',
} as const;

const nameOf = ({ label }: LoginView): string => (label === '' ? t('settings.logins.unknown') : label);

const LoginTable = ({ logins, onEnded }: { logins: readonly LoginView[]; onEnded: () => void }) => {
  const { now, ways } = useApp();
  const columns: TableColumn<LoginView>[] = [
    { name: 'where', head: t('settings.logins.where'), isName: true, cell: nameOf },
    {
      ...{ name: 'method', head: t('settings.logins.method') },
      cell: ({ method }) => (method === 'oidc' && ways.provider !== null ? ways.provider : t(methodTexts[method])),
    },
    {
      ...{ name: 'since', head: t('settings.logins.since') },
      cell: ({ begunAt }) => (begunAt === null ? '' : formatDay(begunAt.slice(0, 10))),
    },
    {
      ...{ name: 'used', head: t('settings.keys.used') },
      cell: ({ isThis, usedAt }) => (isThis ? t('settings.logins.this') : formatAgo(usedAt, now())),
    },
    {
      ...{ name: 'end', head: <span class="unseen">{t('settings.logins.end')}</span>, class: 'number' },
      cell: login => !login.isThis && <EndLogin login={login} onEnded={onEnded} />,
    },
  ];
  return <Table class="table keys" columns={columns} rows={logins} keyOf={({ id }) => id} />;
};

const EndLogin = ({ login, onEnded }: { login: LoginView; onEnded: () => void }) => {
  const { client } = useApp();
  const form = useSubmit(async () => {
    await client.post(`/app/account/logins/${login.id}/end`, {});
    onEnded();
  });
  return (
    <form onSubmit={form.submit}>
      <button type="submit" class="button" aria-label={t('settings.logins.endNamed', { name: nameOf(login) })}>
        {t('settings.logins.end')}
      </button>
    </form>
  );
};
