/** Asks somebody to prove once more who they are. What they wanted then goes on. */
import { useState } from 'preact/hooks';
import type { GivenPasskey, Proof, ProofWay } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';
import { Actions, PasswordField, useSubmit } from '../form/form.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { canPasskeys, givePasskey } from '../passkeys.ts';
import { t } from '../texts/text.ts';

export interface ProofDialogProps {
  ways: readonly ProofWay[];
  /** Whether they did. */
  onEnd: (isProved: boolean) => void;
}

export const ProofDialog = ({ ways, onEnd }: ProofDialogProps) => (
  <Dialog title={t('proof.title')} onClose={() => onEnd(false)}>
    <p>{t(ways.length === 0 ? 'proof.none' : 'proof.note')}</p>
    {ways.includes('password') && <PasswordProof onEnd={onEnd} />}
    {ways.includes('passkey') && canPasskeys() && <PasskeyProof onEnd={onEnd} />}
    {ways.includes('oidc') && <ProviderProof />}
  </Dialog>
);

type EndProps = Pick<ProofDialogProps, 'onEnd'>;

const PasswordProof = ({ onEnd }: EndProps) => {
  const { client } = useApp();
  const [password, setPassword] = useState('');
  const form = useSubmit(async () => {
    await client.post('/app/prove', { password } satisfies Proof);
    onEnd(true);
  });
  return (
    <form class="form" onSubmit={form.submit}>
      <PasswordField value={password} onValue={setPassword} form={form} />
      <Actions form={form} label={t('proof.action')} />
    </form>
  );
};

const PasskeyProof = ({ onEnd }: EndProps) => {
  const { client } = useApp();
  const form = useSubmit(async () => {
    const options = await client.post<PublicKeyCredentialRequestOptionsJSON>('/app/sign-in/passkey/options', {});
    const credential = await givePasskey(options).catch(() => {
      throw new RequestFailed(0, { error: t('entry.passkey.stopped') });
    });
    await client.post('/app/prove/passkey', { credential } satisfies GivenPasskey);
    onEnd(true);
  });
  return (
    <form class="form" onSubmit={form.submit}>
      <Actions form={form} label={t('proof.passkey')} />
    </form>
  );
};

/** The page is left for it, and what was wanted has to be asked for again. */
const ProviderProof = () => {
  const { ways } = useApp();
  const next = encodeURIComponent(location.pathname + location.search);
  return (
    <p>
      <a class="button" href={`/sign-in/oidc?prove=1&next=${next}`}>
        {t('entry.provider', { provider: ways.provider ?? '' })}
      </a>
    </p>
  );
};
