/** The authenticator app: turning it on with a picture and a code, and off; recovery codes. */
import { useEffect, useState } from 'preact/hooks';
import type { Factors, NewCodes, NewTotp, TypedCode } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { CodeField } from '../entry/sign-in.tsx';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, useSubmit } from '../form/form.tsx';
import { CopyField } from '../parts/copy.tsx';
import { t } from '../texts/text.ts';
import { JustMade } from './just-made.tsx';
import { Section } from './section.tsx';

interface FactorsProps {
  factors: Factors;
  onChanged: () => Promise<void>;
}

export const FactorSection = ({ factors, onChanged }: FactorsProps) => {
  const [begun, setBegun] = useState<NewTotp | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const show = ({ codes: made }: NewCodes): void => {
    setBegun(null);
    setCodes(made);
    void onChanged();
  };
  return (
    <Section title={t('settings.totp')} note={t('settings.totp.note')}>
      {codes !== null && <RecoveryCodes codes={codes} />}
      {begun !== null ? (
        <SetUp begun={begun} onMade={show} onCancel={() => setBegun(null)} />
      ) : factors.totp ? (
        <TurnedOn factors={factors} onMade={show} onChanged={onChanged} />
      ) : (
        <Begin onBegun={setBegun} />
      )}
    </Section>
  );
};

const Begin = ({ onBegun }: { onBegun: (begun: NewTotp) => void }) => {
  const { client } = useApp();
  const form = useSubmit(async () => onBegun(await client.post<NewTotp>('/app/totp/begin', {})));
  return (
    <form class="form" onSubmit={form.submit}>
      <Actions form={form} label={t('settings.totp.begin')} />
    </form>
  );
};

interface SetUpProps {
  begun: NewTotp;
  onMade: (codes: NewCodes) => void;
  onCancel: () => void;
}

const SetUp = ({ begun: { secret, uri }, onMade, onCancel }: SetUpProps) => {
  const { client } = useApp();
  const [code, setCode] = useState('');
  const form = useSubmit(async () => onMade(await client.post<NewCodes>('/app/totp', { code } satisfies TypedCode)));
  return (
    <form class="form" onSubmit={form.submit}>
      <p>{t('settings.totp.scan')}</p>
      <Picture text={uri} />
      <CopyField text={secret} label={t('settings.totp.secret')} />
      <CodeField value={code} onValue={setCode} form={form} />
      <Actions form={form} label={t('settings.totp.turnOn')} onDiscard={onCancel} />
    </form>
  );
};

/** The code that a phone reads, drawn by a library that is fetched for it. */
const Picture = ({ text }: { text: string }) => {
  const [source, setSource] = useState<string | null>(null);
  useEffect(() => {
    void import('uqr').then(({ renderSVG }) =>
      setSource(`data:image/svg+xml,${encodeURIComponent(renderSVG(text, { border: 2 }))}`),
    );
  }, [text]);
  return (
    <div class="qr">
      {source !== null && <img src={source} width="200" height="200" alt={t('settings.totp.picture')} />}
    </div>
  );
};

interface TurnedOnProps extends FactorsProps {
  onMade: (codes: NewCodes) => void;
}

const TurnedOn = ({ factors, onMade, onChanged }: TurnedOnProps) => {
  const { client } = useApp();
  const renew = useSubmit(async () => onMade(await client.post<NewCodes>('/app/totp/codes', {})));
  const remove = useSubmit(async () => {
    await client.post('/app/totp/remove', {});
    await onChanged();
  });
  return (
    <>
      <p>{t('settings.totp.on', { count: factors.codesLeft })}</p>
      <div class="form-actions">
        <AskedButton
          form={renew}
          label={t('settings.totp.renew')}
          action={t('settings.totp.renewNow')}
          note={t('settings.totp.renew.note')}
        />
        <AskedButton form={remove} label={t('settings.totp.remove')} action={t('settings.totp.removeNow')} danger />
      </div>
      {(renew.error ?? remove.error) !== null && (
        <p class="field-error" role="alert">
          {renew.error ?? remove.error}
        </p>
      )}
    </>
  );
};

const RecoveryCodes = ({ codes }: { codes: readonly string[] }) => {
  const text = `${codes.join('\n')}\n`;
  return (
    <JustMade text={text.trimEnd()} label={t('settings.codes')} lines={codes.length} note={t('settings.codes.now')}>
      <p>
        <a class="button" download="daybook-recovery-codes.txt" href={`data:text/plain,${encodeURIComponent(text)}`}>
          {t('settings.codes.download')}
        </a>
      </p>
    </JustMade>
  );
};
