/** What somebody sees of a public page until they have given its password. */
import { useState } from 'preact/hooks';
import type { OpenShare } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { Actions, PasswordField, useSubmit } from '../form/form.tsx';
import { shareTokenOf } from '../routes.ts';
import { t } from '../texts/text.ts';

export const SharePassword = () => {
  const { client } = useApp();
  const { path } = useAddress();
  const [password, setPassword] = useState('');
  const form = useSubmit(async () => {
    await client.post('/app/share', { token: shareTokenOf(path) ?? '', password } satisfies OpenShare);
    location.reload();
  });
  return (
    <div class="entry">
      <h1>{t('page.share')}</h1>
      <p>{t('entry.share.note')}</p>
      <form class="form" onSubmit={form.submit}>
        <PasswordField autofocus value={password} onValue={setPassword} form={form} />
        <Actions form={form} label={t('entry.share.action')} />
      </form>
    </div>
  );
};
