/** The channels of a team: where alerts are told. A secret is shown once. */
import { useState } from 'preact/hooks';
import { type ChannelRow, channelKindNames, channelKinds } from '../../../model/alerts/channel-kinds.ts';
import type { AddChannel, ChannelList, ChannelView, TeamView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Choice } from '../form/choice.tsx';
import { Actions, Field, NameField, useSubmit } from '../form/form.tsx';
import { formatAgo } from '../format.ts';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { AddButton } from './add-button.tsx';
import { JustMade } from './just-made.tsx';
import { NoMailServer } from './no-mail-server.tsx';
import { Section } from './section.tsx';

export const ChannelSection = ({ team }: { team: TeamView }) => {
  const path = `/app/teams/${team.id}/channels`;
  const list = useAnswer<ChannelList>(path);
  const [made, setMade] = useState<ChannelView | null>(null);
  const onMade = (channel: ChannelView): void => {
    setMade(channel.kind === 'webhook' ? channel : null);
    list.retry();
  };
  return (
    <Section title={team.name} note={t('channels.note')}>
      {list.data?.sendsMail === false && <NoMailServer />}
      {made !== null && (
        <JustMade
          text={made.secret ?? ''}
          label={t('channels.secret')}
          note={t('channels.copyNow', { name: made.name })}
        />
      )}
      <Answered answer={list}>
        {({ data, sendsMail }) =>
          data.length === 0 ? (
            <p class="hint">{t('channels.none')}</p>
          ) : (
            <ChannelTable {...{ path, sendsMail, onMade }} channels={data} onChanged={list.retry} />
          )
        }
      </Answered>
      <AddButton label={t('channels.new')}>{closing => <NewChannel path={path} onMade={closing(onMade)} />}</AddButton>
    </Section>
  );
};

interface ActionProps {
  /** Of the list. */
  path: string;
  onMade: (channel: ChannelView) => void;
  onChanged: () => void;
}

interface ChannelTableProps extends ActionProps {
  channels: readonly ChannelView[];
  sendsMail: boolean;
}

const ChannelTable = ({ channels, sendsMail, ...actions }: ChannelTableProps) => {
  const { now } = useApp();
  const columns: TableColumn<ChannelView>[] = [
    {
      ...{ name: 'name', head: t('common.name'), isName: true },
      cell: channel => (
        <>
          {channel.name}
          <span class="field-note">{channel.target}</span>
        </>
      ),
    },
    { name: 'kind', head: t('channels.kind'), cell: ({ kind }) => t(`channels.kind.${kind}`) },
    { name: 'state', head: t('alerts.state'), cell: channel => stateText(channel, sendsMail, now()) },
  ];
  return (
    <div class="table-scroll">
      <Table
        class="table channels"
        columns={columns}
        rows={channels}
        keyOf={({ id }) => id}
        below={channel => <ChannelActions channel={channel} {...actions} />}
      />
    </div>
  );
};

/** Mails go to the one server, which says nothing of a single channel. */
const stateText = (channel: ChannelView, sendsMail: boolean, now: number): string => {
  const { kind, disabledAt, failingSince, verifiedAt, lastError } = channel;
  if (disabledAt !== null) return t('channels.off', { ago: formatAgo(disabledAt, now) });
  if (kind === 'mail') return t(sendsMail ? 'channels.mailed' : 'channels.noServer');
  if (failingSince !== null)
    return t('channels.failing', { ago: formatAgo(failingSince, now), reason: lastError ?? '' });
  return verifiedAt === null ? t('channels.untried') : t('channels.works');
};

const ChannelActions = ({ path, channel, onMade, onChanged }: ActionProps & { channel: ChannelView }) => {
  const { client } = useApp();
  const [done, setDone] = useState<string | null>(null);
  const { id, name, kind } = channel;
  const testing = useSubmit(async () => {
    setDone(null);
    await client.post(`${path}/${id}/test`, {});
    setDone(t('channels.tested'));
    onChanged();
  });
  const renewing = useSubmit(async () => onMade(await client.post<ChannelView>(`${path}/${id}/secret`, {})));
  const removing = useSubmit(async () => {
    await client.post(`${path}/${id}/remove`, {});
    onChanged();
  });
  const error = testing.error ?? renewing.error ?? removing.error;
  return (
    <div class="form-actions">
      <button
        type="button"
        class="button"
        aria-label={t('channels.testNamed', { name })}
        aria-disabled={testing.isPending}
        onClick={testing.submit}
      >
        {t('channels.test')}
      </button>
      {kind === 'webhook' && (
        <AskedButton
          form={renewing}
          label={t('channels.newSecret')}
          name={t('channels.newSecretNamed', { name })}
          action={t('channels.newSecret')}
          note={t('channels.newSecret.note')}
        />
      )}
      <AskedButton
        form={removing}
        label={t('common.remove')}
        name={t('settings.goals.removeNamed', { name })}
        action={t('settings.goals.removeNow', { name })}
      />
      {error !== null && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <p class="hint" role="status">
        {done}
      </p>
    </div>
  );
};

const emptyChannel: AddChannel = { kind: 'webhook', name: '', target: '', secret: '' };

const NewChannel = ({ path, onMade }: Pick<ActionProps, 'path' | 'onMade'>) => {
  const { client } = useApp();
  const [typed, setTyped] = useState(emptyChannel);
  const set = (change: Partial<AddChannel>): void => setTyped({ ...typed, ...change });
  const row: ChannelRow = channelKinds[typed.kind];
  const form = useSubmit(async () => onMade(await client.post<ChannelView>(path, typed)));
  return (
    <form class="form" aria-label={t('channels.new')} onSubmit={form.submit}>
      <Choice
        label={t('channels.kind')}
        value={typed.kind}
        onValue={kind => set({ kind, target: '', secret: '' })}
        options={channelKindNames.map(name => [name, t(`channels.kind.${name}`)])}
      />
      <NameField label={t('common.name')} value={typed.name} onValue={name => set({ name })} form={form} />
      <Field
        label={t('channels.target')}
        name="target"
        autocomplete="off"
        required
        note={t(`channels.target.${typed.kind}`)}
        value={typed.target}
        onValue={target => set({ target })}
        form={form}
      />
      {row.secret !== undefined && (
        <Field
          label={t('channels.token')}
          name="secret"
          type="password"
          autocomplete="new-password"
          note={t('channels.token.note')}
          value={typed.secret}
          onValue={secret => set({ secret })}
          form={form}
        />
      )}
      <Actions form={form} label={t('channels.add')} />
    </form>
  );
};
