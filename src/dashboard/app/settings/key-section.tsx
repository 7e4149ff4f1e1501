/** API keys: a list, creating one (it is shown once), revoking. */
import { useState } from 'preact/hooks';
import type { AddKey, Keys, KeyView, NewKey, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, NameField, useSubmit } from '../form/form.tsx';
import { formatAgo, formatDay } from '../format.ts';
import { CopyField } from '../parts/copy.tsx';
import { Answered } from '../parts/states.tsx';
import { rich, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { Section } from './section.tsx';

/** `site` is what the example asks for. */
export const KeySection = ({ site }: { site: SiteView | undefined }) => {
  const { client } = useApp();
  const keys = useAnswer<Keys>('/app/keys');
  const [name, setName] = useState('');
  const [made, setMade] = useState<NewKey | null>(null);
  const form = useSubmit(async () => {
    setMade(await client.post<NewKey>('/app/keys', { name } satisfies AddKey));
    setName('');
    keys.retry();
  });
  return (
    <Section title={t('settings.keys')} note={t('settings.keys.note')}>
      {made !== null && (
        <div class="new-key" role="status">
          <p>{rich('settings.keys.copyNow', { strong: inner => <strong>{inner}</strong>, name: made.name })}</p>
          <CopyField text={made.key} label={t('settings.keys.new')} />
        </div>
      )}
      <Answered answer={keys}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">{t('settings.keys.none')}</p>
          ) : (
            <KeyTable keys={data} onRevoked={keys.retry} />
          )
        }
      </Answered>
      <form class="form" onSubmit={form.submit}>
        <NameField label={t('settings.keys.name')} value={name} onValue={setName} form={form} />
        <Actions form={form} label={t('settings.keys.create')} />
      </form>
      {site !== undefined && <FirstQuestion site={site} apiKey={made?.key ?? t('settings.keys.placeholder')} />}
    </Section>
  );
};

/** A first question to the API, with the key where that was made just now. */
const FirstQuestion = ({ site, apiKey }: { site: SiteView; apiKey: string }) => {
  const asked = `${location.origin}/api/v1/sites/${site.id}/stats?range=7d`;
  return (
    <div class="form">
      <h3>{t('settings.keys.try')}</h3>
      <p class="hint">{t('settings.keys.try.note', { site: site.domain })}</p>
      <CopyField
        text={`curl -H 'Authorization: Bearer ${apiKey}' '${asked}'`}
        label={t('settings.keys.try')}
        lines={2}
      />
    </div>
  );
};

const KeyTable = ({ keys, onRevoked }: { keys: readonly KeyView[]; onRevoked: () => void }) => (
  <table class="table keys">
    <thead>
      <tr>
        <th scope="col">{t('common.name')}</th>
        <th scope="col">{t('settings.keys.ending')}</th>
        <th scope="col">{t('settings.keys.created')}</th>
        <th scope="col">{t('settings.keys.used')}</th>
        <th scope="col">
          <span class="unseen">{t('settings.keys.revoke')}</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {keys.map(key => (
        <KeyRow key={key.id} apiKey={key} onRevoked={onRevoked} />
      ))}
    </tbody>
  </table>
);

const KeyRow = ({ apiKey, onRevoked }: { apiKey: KeyView; onRevoked: () => void }) => {
  const { client, now } = useApp();
  const form = useSubmit(async () => {
    await client.post(`/app/keys/${apiKey.id}/revoke`, {});
    onRevoked();
  });
  const { name, lastFour, createdAt, lastUsedAt } = apiKey;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <code>{lastFour}</code>
      </td>
      <td>{formatDay(createdAt.slice(0, 10))}</td>
      <td>{lastUsedAt === null ? t('settings.keys.neverUsed') : formatAgo(lastUsedAt, now())}</td>
      <td class="number">
        <AskedButton
          form={form}
          label={t('settings.keys.revoke')}
          name={t('settings.keys.revokeNamed', { name })}
          action={t('settings.keys.revokeNow', { name })}
        />
      </td>
    </tr>
  );
};
