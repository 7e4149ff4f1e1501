/** The page of a one-time link: e-mail and password. The token is behind `#`. */
import { useState } from 'preact/hooks';
import type { LinkView, Me, UseLink } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { Actions, EmailField, NewPasswordField, noRevocation, RevocationFields, useSubmit } from '../form/form.tsx';
import { SkeletonRows } from '../parts/states.tsx';
import { rich, t } from '../texts/text.ts';
import { useTokenAnswer } from './use-token-answer.ts';

export const LinkPage = () => {
  const { setMe } = useApp();
  const { go } = useAddress();
  return (
    <Link
      onUsed={async next => {
        await setMe(next);
        go('/', { replace: true });
      }}
    />
  );
};

const Link = ({ onUsed }: { onUsed: (me: Me) => Promise<void> }) => {
  const { me } = useApp();
  const { token, isDead, reason, answer: link } = useTokenAnswer<LinkView>('/app/link');
  if (isDead) return me === null ? <DeadLink reason={reason} /> : <NoLinkNeeded />;
  if (link === null) return <SkeletonRows count={4} />;
  return <Credentials token={token} link={link} onUsed={onUsed} />;
};

/** For somebody who comes back after using it. */
const NoLinkNeeded = () => (
  <div class="entry">
    <h1>{t('entry.signedIn')}</h1>
    <p>{t('entry.linkUsed')}</p>
    <p>
      <a class="button primary" href="/">
        {t('entry.openDashboard')}
      </a>
    </p>
  </div>
);

const DeadLink = ({ reason }: { reason: string | null }) => (
  <div class="entry">
    <h1>{t('entry.needLink')}</h1>
    {reason !== null && <p role="alert">{reason}</p>}
    <p>{rich('entry.needLink.note', { command: <code>daybook account link NAME</code> })}</p>
    <p>
      <a href="/sign-in">{t('entry.signIn.action')}</a>
    </p>
  </div>
);

interface CredentialsProps {
  token: string;
  link: LinkView;
  onUsed: (me: Me) => Promise<void>;
}

const Credentials = ({ token, link, onUsed }: CredentialsProps) => {
  const { client } = useApp();
  const [email, setEmail] = useState(link.email ?? '');
  const [password, setPassword] = useState('');
  const [revocation, setRevocation] = useState(noRevocation);
  const form = useSubmit(async () => {
    await onUsed(await client.post<Me>('/app/link/use', { token, email, password, ...revocation } satisfies UseLink));
  });
  const isNew = link.email === null;
  return (
    <div class="entry">
      <h1>{isNew ? t('entry.welcome') : t('entry.newPassword')}</h1>
      <p>{isNew ? t('entry.welcome.note') : t('entry.newPassword.note')}</p>
      <form class="form" onSubmit={form.submit}>
        <EmailField autofocus value={email} onValue={setEmail} form={form} />
        <NewPasswordField value={password} onValue={setPassword} form={form} />
        {!isNew && <RevocationFields value={revocation} onValue={setRevocation} />}
        <Actions form={form} label={isNew ? t('entry.continue') : t('entry.setPassword')} />
      </form>
    </div>
  );
};
