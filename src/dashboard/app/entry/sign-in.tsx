/** Signs in, then opens the page that asked for it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FactorAsked, GivenPasskey, Me, SignIn as SignInBody, TypedCode } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';
import { Actions, EmailField, Field, PasswordField, type Submit, useSubmit } from '../form/form.tsx';
import { canOffer, canPasskeys, givePasskey } from '../passkeys.ts';
import { rich, t } from '../texts/text.ts';
import { failureText } from './provider-failures.ts';

export const SignIn = () => {
  const { setMe, ways } = useApp();
  const { search, go } = useAddress();
  const [isHalf, setHalf] = useState(false);
  const next = search.get('next');
  const enter = async (answer: Me | FactorAsked): Promise<void> => {
    if ('factor' in answer) return setHalf(true);
    await setMe(answer);
    go(ownPath(next), { replace: true });
  };
  const passkey = usePasskey(enter);
  const failed = search.get('failed');
  if (isHalf) return <Code onEntered={enter} onBack={() => setHalf(false)} />;
  return (
    <div class="entry">
      <h1>{t('entry.signIn')}</h1>
      {search.has('ended') && <p role="status">{t('entry.ended')}</p>}
      {search.has('link') && <p role="status">{t('entry.link', { provider: ways.provider ?? '' })}</p>}
      {failed !== null && <p role="alert">{failureText(failed, search.get('code'), ways.provider ?? '')}</p>}
      {ways.password && <Password onEntered={enter} />}
      <div class="entry-ways">
        {ways.provider !== null && !search.has('link') && (
          <a
            class={ways.password ? 'button' : 'button primary'}
            href={`/sign-in/oidc?next=${encodeURIComponent(ownPath(next))}`}
          >
            {t('entry.provider', { provider: ways.provider })}
          </a>
        )}
        {passkey !== null && (
          <form onSubmit={passkey.submit}>
            <button type="submit" class="button" aria-disabled={passkey.isPending}>
              {t('entry.passkey')}
            </button>
            {passkey.error !== null && (
              <p class="field-error" role="alert">
                {passkey.error}
              </p>
            )}
          </form>
        )}
      </div>
      {ways.password && <p class="hint">{rich('entry.forgot', { command: <code>daybook account link NAME</code> })}</p>}
    </div>
  );
};

interface EnteredProps {
  onEntered: (answer: Me | FactorAsked) => Promise<void>;
}

const Password = ({ onEntered }: EnteredProps) => {
  const { client } = useApp();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const form = useSubmit(async () =>
    onEntered(await client.post<Me | FactorAsked>('/app/sign-in', { email, password } satisfies SignInBody)),
  );
  return (
    <form class="form" onSubmit={form.submit}>
      <EmailField autofocus autocomplete="username webauthn" value={email} onValue={setEmail} form={form} />
      <PasswordField value={password} onValue={setPassword} form={form} />
      <Actions form={form} label={t('entry.signIn.action')} />
    </form>
  );
};

/** The second step of somebody who has an authenticator app. */
const Code = ({ onEntered, onBack }: EnteredProps & { onBack: () => void }) => {
  const { client } = useApp();
  const [code, setCode] = useState('');
  const form = useSubmit(async () =>
    onEntered(await client.post<Me>('/app/sign-in/code', { code } satisfies TypedCode)),
  );
  return (
    <div class="entry">
      <h1>{t('entry.code')}</h1>
      <form class="form" onSubmit={form.submit}>
        <CodeField note={t('entry.code.note')} value={code} onValue={setCode} form={form} autofocus />
        <Actions form={form} label={t('entry.signIn.action')}>
          <button type="button" class="button" onClick={onBack}>
            {t('common.cancel')}
          </button>
        </Actions>
      </form>
    </div>
  );
};

interface CodeFieldProps {
  note?: string;
  value: string;
  onValue: (value: string) => void;
  form: Submit;
  autofocus?: boolean;
}

export const CodeField = ({ note, ...rest }: CodeFieldProps) => (
  <Field
    label={t('entry.code.label')}
    name="code"
    autocomplete="one-time-code"
    required
    maxLength={20}
    {...(note !== undefined && { note })}
    {...rest}
  />
);

/**
 * Signing in with a passkey: offered in the field of the e-mail as long as the page is open, and by
 * a button. Null where there are none.
 */
const usePasskey = (onEntered: (me: Me) => Promise<void>): Submit | null => {
  const { client, ways } = useApp();
  const offer = useRef<AbortController | null>(null);
  const isThere = ways.passkey && canPasskeys();

  const ask = async (signal?: AbortSignal, isOffer = false): Promise<void> => {
    const options = await client.post<PublicKeyCredentialRequestOptionsJSON>('/app/sign-in/passkey/options', {});
    if (signal?.aborted) return;
    const credential = await givePasskey(options, signal, isOffer);
    await onEntered(await client.post<Me>('/app/sign-in/passkey', { credential } satisfies GivenPasskey));
  };

  useEffect(() => {
    if (!isThere) return;
    const gone = new AbortController();
    offer.current = gone;
    void canOffer().then(isOffered => {
      // The button remains for what goes wrong here, and says why.
      if (isOffered && !gone.signal.aborted) ask(gone.signal, true).catch(() => {});
    });
    return () => gone.abort();
  }, []);

  const form = useSubmit(async () => {
    // A browser asks for one at a time.
    offer.current?.abort();
    await ask().catch(error => {
      throw error instanceof RequestFailed ? error : new RequestFailed(0, { error: t('entry.passkey.stopped') });
    });
  });
  return isThere ? form : null;
};

/** A path of this host: `next` never leads to another one. */
const ownPath = (next: string | null): string => {
  const url = new URL(next ?? '/', location.origin);
  return url.origin === location.origin ? url.pathname + url.search : '/';
};
