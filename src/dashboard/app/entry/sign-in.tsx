/** Signs in, then opens the page that asked for it. */
import { useState } from 'preact/hooks';
import type { Me, SignIn as SignInBody } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { Actions, EmailField, PasswordField, useSubmit } from '../form/form.tsx';
import { rich, t } from '../texts/text.ts';

export const SignIn = () => {
  const { client, setMe } = useApp();
  const { search, go } = useAddress();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const form = useSubmit(async () => {
    const me = await client.post<Me>('/app/sign-in', { email, password } satisfies SignInBody);
    await setMe(me);
    go(ownPath(search.get('next')), { replace: true });
  });
  return (
    <div class="entry">
      <h1>{t('entry.signIn')}</h1>
      {search.has('ended') && <p role="status">{t('entry.ended')}</p>}
      <form class="form" onSubmit={form.submit}>
        <EmailField autofocus value={email} onValue={setEmail} form={form} />
        <PasswordField value={password} onValue={setPassword} form={form} />
        <Actions form={form} label={t('entry.signIn.action')} />
      </form>
      <p class="hint">{rich('entry.forgot', { command: <code>daybook account link NAME</code> })}</p>
    </div>
  );
};

/** A path of this host: `next` never leads to another one. */
const ownPath = (next: string | null): string => {
  const url = new URL(next ?? '/', location.origin);
  return url.origin === location.origin ? url.pathname + url.search : '/';
};
