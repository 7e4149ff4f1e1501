/** Passkeys: a list, adding one, removing. */
import type { Factors, GivenPasskey, PasskeyView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, useSubmit } from '../form/form.tsx';
import { formatAgo, formatDay } from '../format.ts';
import { canPasskeys, makePasskey } from '../passkeys.ts';
import { t } from '../texts/text.ts';
import { Section } from './section.tsx';

interface PasskeysProps {
  factors: Factors;
  onChanged: () => Promise<void>;
}

export const PasskeySection = ({ factors, onChanged }: PasskeysProps) => {
  const { client } = useApp();
  const form = useSubmit(async () => {
    const options = await client.post<PublicKeyCredentialCreationOptionsJSON>('/app/passkeys/options', {});
    const credential = await makePasskey(options).catch((error: DOMException) => {
      const isThere = error.name === 'InvalidStateError';
      throw new RequestFailed(0, { error: t(isThere ? 'settings.passkeys.there' : 'entry.passkey.stopped') });
    });
    await client.post('/app/passkeys', { credential } satisfies GivenPasskey);
    await onChanged();
  });
  return (
    <Section title={t('settings.passkeys')} note={t('settings.passkeys.note')}>
      {factors.passkeys.length > 0 && <PasskeyTable passkeys={factors.passkeys} onChanged={onChanged} />}
      {!factors.canPasskeys || !canPasskeys() ? (
        <p class="hint">{t(factors.canPasskeys ? 'settings.passkeys.browser' : 'settings.passkeys.off')}</p>
      ) : (
        <form class="form" onSubmit={form.submit}>
          <Actions form={form} label={t('settings.passkeys.add')} />
        </form>
      )}
    </Section>
  );
};

const PasskeyTable = ({
  passkeys,
  onChanged,
}: {
  passkeys: readonly PasskeyView[];
  onChanged: () => Promise<void>;
}) => (
  <table class="table keys">
    <thead>
      <tr>
        <th scope="col">{t('common.name')}</th>
        <th scope="col">{t('settings.keys.created')}</th>
        <th scope="col">{t('settings.keys.used')}</th>
        <th scope="col">
          <span class="unseen">{t('common.remove')}</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {passkeys.map(passkey => (
        <PasskeyRow key={passkey.id} passkey={passkey} onChanged={onChanged} />
      ))}
    </tbody>
  </table>
);

const PasskeyRow = ({ passkey, onChanged }: { passkey: PasskeyView; onChanged: () => Promise<void> }) => {
  const { client, now } = useApp();
  const { id, name, createdAt, lastUsedAt } = passkey;
  const form = useSubmit(async () => {
    await client.post(`/app/passkeys/${id}/remove`, {});
    await onChanged();
  });
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{formatDay(createdAt.slice(0, 10))}</td>
      <td>{lastUsedAt === null ? t('settings.keys.neverUsed') : formatAgo(lastUsedAt, now())}</td>
      <td class="number">
        <AskedButton
          form={form}
          label={t('common.remove')}
          name={t('settings.passkeys.removeNamed', { name })}
          action={t('settings.passkeys.removeNow', { name })}
        />
        {form.error !== null && (
          <p class="field-error" role="alert">
            {form.error}
          </p>
        )}
      </td>
    </tr>
  );
};
