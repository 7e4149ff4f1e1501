/** API keys: a list, creating one (it is shown once), revoking. */
import { useState } from 'preact/hooks';
import type { AddKey, Keys, KeyView, NewKey } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, Field, useSubmit } from '../form/form.tsx';
import { formatAgo, formatDay } from '../format.ts';
import { CopyField } from '../parts/copy.tsx';
import { Answered } from '../parts/states.tsx';
import { useAnswer } from '../use-answer.ts';
import { Section } from './section.tsx';

export const KeySection = () => {
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
    <Section
      title="API keys"
      note="A key reads every site of the account. Give each program its own, so that you can revoke them one by one."
    >
      {made !== null && (
        <div class="new-key" role="status">
          <p>
            <strong>{made.name}</strong>: copy it now. It will not be shown again.
          </p>
          <CopyField text={made.key} label="New API key" />
        </div>
      )}
      <Answered answer={keys}>
        {({ data }) =>
          data.length === 0 ? <p class="hint">No API keys yet.</p> : <KeyTable keys={data} onRevoked={keys.retry} />
        }
      </Answered>
      <form class="form" onSubmit={form.submit}>
        <Field label="Key name" name="name" autocomplete="off" required value={name} onValue={setName} form={form} />
        <Actions form={form} label="Create API key" />
      </form>
    </Section>
  );
};

const KeyTable = ({ keys, onRevoked }: { keys: readonly KeyView[]; onRevoked: () => void }) => (
  <table class="table keys">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Ends with</th>
        <th scope="col">Created</th>
        <th scope="col">Last used</th>
        <th scope="col">
          <span class="unseen">Revoke</span>
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
      <td>{lastUsedAt === null ? 'never' : formatAgo(lastUsedAt, now())}</td>
      <td class="number">
        <AskedButton form={form} label="Revoke" name={`Revoke ${name}`} action={`Revoke ${name} now`} />
      </td>
    </tr>
  );
};
