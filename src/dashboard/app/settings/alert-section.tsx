/** The alerts of a site: what they watch and saw last, and how they are made, muted and removed. */
import { useState } from 'preact/hooks';
import { muteHours, muteSpans } from '../../../model/alerts/kinds.ts';
import type { AlertList, AlertView, ChannelList, ChannelView, MuteFor, SiteView } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { AskedButton } from '../form/asked-button.tsx';
import { Actions, useSubmit } from '../form/form.tsx';
import { useIsChanged } from '../form/use-edited.ts';
import { formatInstant } from '../format.ts';
import { noValue } from '../metric-text.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { filtersWords } from '../steps/conditions.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { AddButton } from './add-button.tsx';
import { type AlertDraft, draftOf, emptyDraft, ruleOf } from './alert-draft.ts';
import { AlertFields } from './alert-fields.tsx';
import { AlertReplay } from './alert-replay.tsx';
import { NoMailServer } from './no-mail-server.tsx';
import { Section } from './section.tsx';

export const AlertSection = ({ site }: { site: SiteView }) => {
  const alerts = useAnswer<AlertList>(askSite(site, 'ext/alerts'));
  const channels = useAnswer<ChannelList>(`/app/teams/${site.team}/channels`).data?.data ?? [];
  const [opened, setOpened] = useState<number | null>(null);
  const changed = alerts.data?.data.find(({ id }) => id === opened);
  return (
    <Section title={t('settings.alerts')} note={t('settings.alerts.note')}>
      {alerts.data?.sendsMail === false && <NoMailServer />}
      <Answered answer={alerts}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">{t('alerts.none')}</p>
          ) : (
            <AlertTable site={site} alerts={data} onOpen={({ id }) => setOpened(id)} />
          )
        }
      </Answered>
      <AddButton label={t('alerts.new')}>
        {closing => <NewAlert site={site} channels={channels} onAdded={closing(alerts.retry)} />}
      </AddButton>
      {changed !== undefined && (
        <AlertDialog {...{ site, channels, alert: changed }} onChanged={alerts.retry} onClose={() => setOpened(null)} />
      )}
    </Section>
  );
};

interface AlertTableProps {
  site: SiteView;
  alerts: readonly AlertView[];
  onOpen: (alert: AlertView) => void;
}

const AlertTable = ({ site, alerts, onOpen }: AlertTableProps) => {
  const { now } = useApp();
  const columns: TableColumn<AlertView>[] = [
    {
      ...{ name: 'name', head: t('common.name'), isName: true },
      cell: ({ name, kind, filters }) => (
        <>
          {name}
          <span class="field-note">
            {t(`alert.kind.${kind}`)}
            {filters !== '' && ` · ${filtersWords(new URLSearchParams(filters))}`}
          </span>
        </>
      ),
    },
    { name: 'state', head: t('alerts.state'), cell: alert => stateText(alert, site, now()) },
    {
      ...{ name: 'fired', head: t('alerts.fired') },
      cell: ({ state }) =>
        state === null || state.firedAt === null ? noValue : formatInstant(state.firedAt, site.timezone),
    },
    {
      ...{ name: 'change', head: <span class="unseen">{t('common.change')}</span>, class: 'number' },
      cell: alert => (
        <button
          type="button"
          class="button"
          aria-label={t('settings.goals.changeNamed', { name: alert.name })}
          onClick={() => onOpen(alert)}
        >
          {t('common.change')}
        </button>
      ),
    },
  ];
  return (
    <div class="table-scroll">
      <Table class="table keys" columns={columns} rows={alerts} keyOf={({ id }) => id} />
    </div>
  );
};

const isMuted = ({ mutedUntil }: AlertView, now: number): boolean =>
  mutedUntil !== null && Date.parse(mutedUntil) > now;

const stateText = (alert: AlertView, { timezone }: SiteView, now: number): string => {
  const { enabled, mutedUntil, state } = alert;
  if (!enabled) return t('alerts.state.paused');
  if (isMuted(alert, now)) return t('alerts.state.muted', { until: formatInstant(mutedUntil!, timezone) });
  if (state === null) return t('alerts.state.new');
  return t(`alerts.state.${state.state}`, { since: formatInstant(state.since, timezone) });
};

interface Told {
  site: SiteView;
  channels: readonly ChannelView[];
}

const NewAlert = ({ site, channels, onAdded }: Told & { onAdded: () => void }) => {
  const { client } = useApp();
  const [draft, setDraft] = useState(emptyDraft);
  const rule = ruleOf(draft, site.currency);
  const form = useSubmit(async () => {
    await client.post<AlertView>(`/app/sites/${site.id}/alerts`, savedOf(draft, rule, true));
    onAdded();
  });
  return (
    <form class="form" aria-label={t('alerts.new')} onSubmit={form.submit}>
      <AlertFields {...{ site, channels, draft, setDraft, form }} />
      <AlertReplay site={site} rule={rule} metric={metricOf(draft)} />
      <Actions form={form} label={t('alerts.add')} disabled={rule === null} />
    </form>
  );
};

/** What an alert counts. */
const metricOf = ({ kind, metric, compared }: AlertDraft) => {
  if (kind === 'threshold') return compared;
  return kind === 'errors' || kind === 'refused' ? 'events' : kind === 'spike' || kind === 'drop' ? metric : 'visits';
};

/** Without a name it is called by its kind. */
const savedOf = (draft: AlertDraft, rule: ReturnType<typeof ruleOf>, enabled: boolean): object => {
  const { kind, channels, mailOwners } = draft;
  const name = draft.name.trim() === '' ? t(`alert.kind.${kind}`) : draft.name;
  return { kind, ...rule, name, channels, mailOwners, enabled };
};

interface AlertDialogProps extends Told {
  alert: AlertView;
  onChanged: () => void;
  onClose: () => void;
}

const AlertDialog = ({ site, channels, alert, onChanged, onClose }: AlertDialogProps) => {
  const { client, now } = useApp();
  const [draft, setDraft] = useState(() => draftOf(alert, site.currency));
  const isChanged = useIsChanged(draft);
  const path = `/app/sites/${site.id}/alerts/${alert.id}`;
  const rule = ruleOf(draft, site.currency);
  const { enabled } = alert;
  const posting = (to: string, bodyOf: () => object, isLast: boolean) => async (): Promise<void> => {
    await client.post<unknown>(to, bodyOf());
    onChanged();
    if (isLast) onClose();
  };
  const form = useSubmit(posting(path, () => savedOf(draft, rule, enabled), true));
  const { channels: told, kind, params, filters, name, mailOwners } = alert;
  const stored = { kind, params, filters, name, channels: told, mailOwners };
  const pausing = useSubmit(posting(path, () => ({ ...stored, enabled: !enabled }), false));
  const removing = useSubmit(posting(`${path}/remove`, () => ({}), true));
  const error = pausing.error ?? removing.error;
  return (
    <Dialog title={alert.name} onClose={onClose}>
      <p role="status">{stateText(alert, site, now())}</p>
      <form class="form" aria-label={t('settings.goals.changeNamed', { name })} onSubmit={form.submit}>
        <AlertFields {...{ site, channels, draft, setDraft, form }} />
        <AlertReplay site={site} rule={rule} metric={metricOf(draft)} />
        <Actions form={form} label={t('common.save')} disabled={rule === null || !isChanged} />
      </form>
      <div class="form-actions">
        <button type="button" class="button" aria-disabled={pausing.isPending} onClick={pausing.submit}>
          {t(enabled ? 'alerts.pause' : 'alerts.resume')}
        </button>
        {muteSpans.map(span => (
          <Mute key={span} {...{ path, hours: muteHours[span], label: t(`alerts.mute.${span}`) }} onMuted={onChanged} />
        ))}
        {isMuted(alert, now()) && <Mute {...{ path, hours: 0, label: t('alerts.unmute') }} onMuted={onChanged} />}
        {alert.madeBy !== 'server' && (
          <AskedButton
            form={removing}
            label={t('common.remove')}
            action={t('settings.goals.removeNow', { name })}
            danger
          />
        )}
        {error !== null && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
};

interface MuteProps {
  path: string;
  hours: number;
  label: string;
  onMuted: () => void;
}

const Mute = ({ path, hours, label, onMuted }: MuteProps) => {
  const { client } = useApp();
  const form = useSubmit(async () => {
    await client.post<AlertView>(`${path}/mute`, { hours } satisfies MuteFor);
    onMuted();
  });
  return (
    <button type="button" class="button" aria-disabled={form.isPending} onClick={form.submit}>
      {label}
    </button>
  );
};
