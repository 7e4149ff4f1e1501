/** The account: sign-in, API keys, plan. */
import { useState } from 'preact/hooks';
import type { Right } from '../../../model/rights.ts';
import type { ChangeEmail, ChangePassword, Factors, Me, SignedOut, TeamView } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { Actions, EmailField, NewPasswordField, noRevocation, RevocationFields, useSubmit } from '../form/form.tsx';
import { useEdited } from '../form/use-edited.ts';
import { Answered } from '../parts/states.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { AuditSection } from './audit-section.tsx';
import { ChannelSection } from './channel-section.tsx';
import { FactorSection } from './factor-section.tsx';
import { KeySection } from './key-section.tsx';
import { LocaleSection } from './locale-section.tsx';
import { LoginSection } from './login-section.tsx';
import { LeaveSection, MemberSection } from './member-section.tsx';
import { PasskeySection } from './passkey-section.tsx';
import { ProgramSection } from './program-section.tsx';
import { Section } from './section.tsx';
import { ServerPeople, ServerTeams } from './server-section.tsx';
import { SettingsFrame } from './settings-frame.tsx';
import { TeamSection } from './team-section.tsx';

export const AccountSettings = () => {
  const { me } = useApp();
  if (me === null) return null;
  return (
    <>
      <div class="detail-head">
        <h1 class="detail-title">{t('page.account')}</h1>
        <SignOut />
      </div>
      <SettingsFrame
        parts={[
          {
            ...{ name: 'language', label: t('settings.locale'), docs: 'design#the-dashboard' },
            content: <LocaleSection me={me} />,
          },
          {
            ...{ name: 'sign-in', label: t('settings.signIn'), docs: 'operations#signing-in' },
            content: <SignInPart me={me} />,
          },
          {
            ...{ name: 'keys', label: t('settings.keys'), docs: 'api#access' },
            content: teamsWith(me, 'keys').map(({ id }) => (
              <KeySection key={id} team={id} site={me.sites.find(({ team }) => team === id)} />
            )),
            isEmpty: teamsWith(me, 'keys').length === 0,
          },
          ...teamParts(me),
          {
            ...{ name: 'programs', label: t('settings.programs'), docs: 'mcp#access-without-a-key' },
            content: <ProgramSection sites={me.sites} />,
          },
          {
            ...{ name: 'server', label: t('settings.server'), docs: 'people#roles' },
            content: (
              <>
                <ServerTeams />
                <ServerPeople />
              </>
            ),
            isEmpty: !me.person.isOperator,
          },
          { ...{ name: 'plan', label: t('settings.plan'), docs: 'api#access' }, content: <PlanSection me={me} /> },
        ].filter(part => !('isEmpty' in part && part.isEmpty))}
      />
    </>
  );
};

/** What concerns teams, each where somebody may do something of it. */
const teamParts = (me: Me) => [
  {
    ...{ name: 'members', label: t('settings.members'), docs: 'people#roles' },
    content: me.teams.map(team =>
      team.rights.includes('members') ? (
        <MemberSection key={team.id} team={team} />
      ) : (
        <LeaveSection key={team.id} team={team} />
      ),
    ),
    isEmpty: me.teams.length === 0,
  },
  {
    ...{ name: 'teams', label: t('settings.teams'), docs: 'people#roles' },
    content: teamsWith(me, 'team').map(team => <TeamSection key={team.id} team={team} />),
    isEmpty: teamsWith(me, 'team').length === 0,
  },
  {
    ...{ name: 'channels', label: t('settings.channels'), docs: 'alerts#channels' },
    content: teamsWith(me, 'share').map(team => <ChannelSection key={team.id} team={team} />),
    isEmpty: teamsWith(me, 'share').length === 0,
  },
  {
    ...{ name: 'audit', label: t('settings.audit'), docs: 'people#audit' },
    content: teamsWith(me, 'audit').map(team => <AuditSection key={team.id} team={team} />),
    isEmpty: teamsWith(me, 'audit').length === 0,
  },
];

const teamsWith = ({ teams }: Me, right: Right): TeamView[] => teams.filter(({ rights }) => rights.includes(right));

const SignInPart = ({ me }: { me: Me }) => {
  const { client, setMe, ways } = useApp();
  const factors = useAnswer<Factors>('/app/account/factors');
  const changed = async (): Promise<void> => {
    factors.retry();
    // Whoever lacked a second factor sees the rest from now on.
    if (me.lacksFactor) await setMe(await client.get<Me>('/app/me'));
  };
  return (
    <>
      <EmailSection me={me} />
      {ways.password && <PasswordSection />}
      <Answered answer={factors}>
        {data => (
          <>
            <PasskeySection factors={data} onChanged={changed} />
            <FactorSection factors={data} onChanged={changed} />
            {data.provider !== null && (
              <Section title={data.provider}>
                <p>
                  {t(data.isLinked ? 'settings.provider.linked' : 'settings.provider.notLinked', {
                    provider: data.provider,
                  })}
                </p>
              </Section>
            )}
          </>
        )}
      </Answered>
      <LoginSection />
    </>
  );
};

const SignOut = () => {
  const { client, setMe } = useApp();
  const { go } = useAddress();
  const form = useSubmit(async () => {
    const { next } = await client.post<SignedOut>('/app/sign-out', {});
    if (next !== null) return location.assign(next);
    go('/sign-in', { replace: true });
    await setMe(null);
  });
  return (
    <form onSubmit={form.submit}>
      <button type="submit" class="button">
        {t('settings.signOut')}
      </button>
    </form>
  );
};

const EmailSection = ({ me }: { me: Me }) => {
  const { client, setMe } = useApp();
  const { values, setValues, form, end } = useEdited(me.person.email, async email =>
    setMe(await client.post<Me>('/app/account/email', { email } satisfies ChangeEmail)),
  );
  return (
    <Section title={t('form.email')} note={t('settings.email.note')}>
      <form class="form" onSubmit={form.submit}>
        <EmailField value={values} onValue={setValues} form={form} />
        <Actions {...end} label={t('settings.email.change')} />
      </form>
    </Section>
  );
};

const PasswordSection = () => {
  const { client, setMe } = useApp();
  const [newPassword, setNewPassword] = useState('');
  const [revocation, setRevocation] = useState(noRevocation);
  const [done, setDone] = useState<string | null>(null);
  const form = useSubmit(async () => {
    setDone(null);
    const change: ChangePassword = { newPassword, ...revocation };
    await setMe(await client.post<Me>('/app/account/password', change));
    setNewPassword('');
    setRevocation(noRevocation);
    setDone(t('common.saved'));
  });
  return (
    <Section title={t('form.password')} note={t('settings.password.note')}>
      <form class="form" onSubmit={form.submit}>
        <NewPasswordField
          label={t('settings.password.new')}
          name="newPassword"
          value={newPassword}
          onValue={setNewPassword}
          form={form}
        />
        <RevocationFields value={revocation} onValue={setRevocation} />
        <Actions form={form} label={t('settings.password.change')} isChanged={newPassword !== ''} done={done} />
      </form>
    </Section>
  );
};

const PlanSection = ({ me: { teams } }: { me: Me }) => (
  <Section title={t('settings.plan')}>
    {teams.map(({ id, name, plan, retentionDays }) => (
      <p key={id}>
        {retentionDays === null
          ? t('settings.plan.all', { account: name, plan })
          : t('settings.plan.days', { account: name, plan, days: retentionDays })}
      </p>
    ))}
  </Section>
);
