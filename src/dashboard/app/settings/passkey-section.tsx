/** Passkeys: a list, adding one, removing. */
import type { Factors, GivenPasskey, PasskeyView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, useSubmit } from '../form/form.tsx';
import { formatAgo, formatDay } from '../format.ts';
import { Table, type TableColumn } from '../parts/table.tsx';
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

interface PasskeyTableProps {
  passkeys: readonly PasskeyView[];
  onChanged: () => Promise<void>;
}

const PasskeyTable = ({ passkeys, onChanged }: PasskeyTableProps) => {
  const { now } = useApp();
  const columns: TableColumn<PasskeyView>[] = [
    { name: 'name', head: t('common.name'), isName: true, cell: ({ name }) => name },
    { name: 'created', head: t('settings.keys.created'), cell: ({ createdAt }) => formatDay(createdAt.slice(0, 10)) },
    {
      ...{ name: 'used', head: t('settings.keys.used') },
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('settings.keys.neverUsed') : formatAgo(lastUsedAt, now())),
    },
    {
      ...{ name: 'remove', head: <span class="unseen">{t('common.remove')}</span>, class: 'number' },
      cell: passkey => <RemovePasskey passkey={passkey} onChanged={onChanged} />,
    },
  ];
  return <Table class="table keys" columns={columns} rows={passkeys} keyOf={({ id }) => id} />;
};

const RemovePasskey = ({ passkey, onChanged }: { passkey: PasskeyView; onChanged: () => Promise<void> }) => {
  const { client } = useApp();
  const { id, name } = passkey;
  const form = useSubmit(async () => {
    await client.post(`/app/passkeys/${id}/remove`, {});
    await onChanged();
  });
  return (
    <>
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
    </>
  );
};
