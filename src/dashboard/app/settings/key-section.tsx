/** API keys: a list, creating one (it is shown once), revoking. */
import { useState } from 'preact/hooks';
import { type KeyScope, scopeNames } from '../../../model/scopes.ts';
import type { AddKey, Keys, KeyView, NewKey, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, Checkbox, NameField, useSubmit } from '../form/form.tsx';
import { formatAgo, formatDay } from '../format.ts';
import { CopyField } from '../parts/copy.tsx';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { rich, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { AddButton } from './add-button.tsx';
import { JustMade } from './just-made.tsx';
import { Section } from './section.tsx';
import { SiteChoice, toggled } from './site-choice.tsx';

/** Of a team. `site` is what the example asks for. */
export const KeySection = ({ team, site }: { team: string; site: SiteView | undefined }) => {
  const keys = useAnswer<Keys>(`/app/keys?team=${team}`);
  const [made, setMade] = useState<NewKey | null>(null);
  return (
    <Section title={t('settings.keys')} note={t('settings.keys.note')}>
      {made !== null && (
        <JustMade
          text={made.key}
          label={t('settings.keys.new')}
          note={rich('settings.keys.copyNow', { strong: inner => <strong>{inner}</strong>, name: made.name })}
        />
      )}
      <Answered answer={keys}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">{t('settings.keys.none')}</p>
          ) : (
            <KeyTable team={team} keys={data} onRevoked={keys.retry} />
          )
        }
      </Answered>
      <AddButton label={t('settings.keys.new')}>
        {closing => (
          <KeyForm
            team={team}
            onMade={closing(key => {
              setMade(key);
              keys.retry();
            })}
          />
        )}
      </AddButton>
      {site !== undefined && <FirstQuestion site={site} apiKey={made?.key ?? t('settings.keys.placeholder')} />}
    </Section>
  );
};

const KeyForm = ({ team, onMade }: { team: string; onMade: (key: NewKey) => void }) => {
  const { client, me } = useApp();
  const [limits, setLimits] = useState(firstLimits);
  const [name, setName] = useState('');
  const form = useSubmit(async () => {
    const sites = limits.sites.length === 0 ? {} : { sites: limits.sites };
    const { scopes, days } = limits;
    onMade(await client.post<NewKey>('/app/keys', { team, name, scopes, days, ...sites } satisfies AddKey));
  });
  return (
    <form class="form" onSubmit={form.submit}>
      <NameField label={t('settings.keys.name')} value={name} onValue={setName} form={form} />
      <LimitFields
        sites={me?.sites.filter(each => each.team === team && each.members === null) ?? []}
        value={limits}
        onValue={setLimits}
      />
      <Actions form={form} label={t('settings.keys.create')} disabled={limits.scopes.length === 0} />
    </form>
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

interface Limits {
  scopes: KeyScope[];
  /** None for all. */
  sites: string[];
  /** Empty for never. */
  days: string;
}
const firstLimits: Limits = { scopes: ['read'], sites: [], days: '365' };
const spans = ['30', '90', '365', ''] as const;

/** What a new key is for: to read, and for a year, unless somebody says otherwise. */
const LimitFields = ({
  sites,
  value,
  onValue,
}: {
  sites: readonly SiteView[];
  value: Limits;
  onValue: (value: Limits) => void;
}) => (
  <>
    <fieldset class="choices">
      <legend>{t('settings.keys.scopes')}</legend>
      {scopeNames.map(name => (
        <Checkbox
          key={name}
          label={t(`scope.${name}`)}
          checked={value.scopes.includes(name)}
          onChange={isOn => onValue({ ...value, scopes: toggled(value.scopes, name, isOn) })}
        />
      ))}
    </fieldset>
    <SiteChoice sites={sites} value={value.sites} onValue={chosen => onValue({ ...value, sites: chosen })} />
    <label class="field">
      {t('settings.keys.expires')}
      <select value={value.days} onChange={({ currentTarget }) => onValue({ ...value, days: currentTarget.value })}>
        {spans.map(days => (
          <option key={days} value={days}>
            {days === '' ? t('settings.keys.neverExpires') : t('settings.keys.days', { count: Number(days) })}
          </option>
        ))}
      </select>
    </label>
  </>
);

const KeyTable = ({ team, keys, onRevoked }: { team: string; keys: readonly KeyView[]; onRevoked: () => void }) => {
  const { now } = useApp();
  const columns: TableColumn<KeyView>[] = [
    { name: 'name', head: t('common.name'), isName: true, cell: ({ name }) => name },
    { name: 'ending', head: t('settings.keys.ending'), cell: ({ lastFour }) => <code>{lastFour}</code> },
    { name: 'created', head: t('settings.keys.created'), cell: ({ createdAt }) => formatDay(createdAt.slice(0, 10)) },
    {
      ...{ name: 'used', head: t('settings.keys.used') },
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('settings.keys.neverUsed') : formatAgo(lastUsedAt, now())),
    },
    {
      ...{ name: 'scopes', head: t('settings.keys.scopes') },
      cell: ({ scopes, sites }) => (
        <>
          {scopes.map(scope => t(`scope.${scope}.short`)).join(', ')}
          {sites !== null && ` (${t('members.siteCount', { count: sites.length })})`}
        </>
      ),
    },
    {
      ...{ name: 'expires', head: t('settings.keys.expires') },
      cell: ({ expiresAt }) =>
        expiresAt === null ? t('settings.keys.neverExpires') : formatDay(expiresAt.slice(0, 10)),
    },
    {
      ...{ name: 'revoke', head: <span class="unseen">{t('settings.keys.revoke')}</span>, class: 'number' },
      cell: key => <Revoke team={team} apiKey={key} onRevoked={onRevoked} />,
    },
  ];
  return <Table class="table keys" columns={columns} rows={keys} keyOf={({ id }) => id} />;
};

const Revoke = ({
  team,
  apiKey: { id, name },
  onRevoked,
}: {
  team: string;
  apiKey: KeyView;
  onRevoked: () => void;
}) => {
  const { client } = useApp();
  const form = useSubmit(async () => {
    await client.post(`/app/keys/${id}/revoke`, { team });
    onRevoked();
  });
  return (
    <AskedButton
      form={form}
      label={t('settings.keys.revoke')}
      name={t('settings.keys.revokeNamed', { name })}
      action={t('settings.keys.revokeNow', { name })}
    />
  );
};
