/** Alerts of sites, and what they last saw (model/alerts/kinds.ts). */
import { type AlertKind, type AlertRule, alertsMax } from '../../model/alerts/kinds.ts';
import type { Database } from '../database.ts';
import { assigned, insertInto, rowValues } from '../row-values.ts';

export interface AlertState {
  state: 'calm' | 'firing' | 'blind';
  /** UTC milliseconds, as below. */
  since: number;
  value: number | null;
  expected: number | null;
  low: number | null;
  high: number | null;
  /** The end of what was judged. */
  evaluatedAt: number;
  /** The beginning of the newest episode that was told. */
  firedAt: number | null;
  /** What the next judgement needs (src/alerts/memory.ts). */
  memory: unknown;
}

export interface AlertSettings {
  name: string;
  rule: AlertRule;
  /** As people type them, with & between them; empty for none. */
  filters: string;
  channelIds: number[];
  mailOwners: boolean;
  enabled: boolean;
}

export interface Alert extends AlertSettings {
  id: number;
  siteId: number;
  mutedUntil: number | null;
  muteToken: string;
  madeBy: string;
  createdAt: number;
  /** Null where nothing was judged yet. */
  state: AlertState | null;
}

export type NewAlert = AlertSettings & Pick<Alert, 'siteId' | 'muteToken' | 'madeBy' | 'createdAt'>;

export interface Alerts {
  list(siteId: number): Alert[];
  /** All that are switched on, by site. */
  enabled(): Alert[];
  byMuteToken(token: string): Alert | undefined;
  /** Undefined where the site has as many as it may have. */
  add(alert: NewAlert): Alert | undefined;
  /** What it knew is forgotten, since it may be about something else now. */
  set(id: number, settings: AlertSettings): void;
  remove(id: number): void;
  mute(id: number, until: number | null): void;
  setState(id: number, state: AlertState): void;
  /** How many of those that are switched on are told by mail. */
  mailing(): number;
  /** Sites that have no alert of a kind, and at least so many hits. */
  without(kind: AlertKind, hits: number): number[];
}

const selected = `select a.id, a.site_id as siteId, a.name, a.kind, a.filters, a.params, a.channel_ids as channelIds,
  a.mail_owners as mailOwners, a.enabled, a.muted_until as mutedUntil, a.mute_token as muteToken, a.made_by as madeBy,
  a.created_at as createdAt, s.state, s.since, s.value, s.expected, s.low, s.high, s.evaluated_at as evaluatedAt,
  s.fired_at as firedAt, s.memory
  from alert a left join alert_state s on s.alert_id = a.id`;

/** A row, with the state in fields of its own. */
type AlertRow = Omit<Alert, 'rule' | 'state'> &
  Omit<AlertState, 'state'> & { kind: string; params: unknown; state: AlertState['state'] | null };

const rows = rowValues<AlertRow>({
  ...{ params: 'json', channelIds: 'json', memory: 'json' },
  ...{ mailOwners: 'flag', enabled: 'flag' },
});

const alertOf = (row: unknown): Alert => {
  const { kind, params, state, ...rest } = rows.read(row);
  const { since, value, expected, low, high, evaluatedAt, firedAt, memory, ...alert } = rest;
  return {
    ...alert,
    rule: { kind, params } as AlertRule,
    state: state && { state, since, value, expected, low, high, evaluatedAt, firedAt, memory },
  };
};

const settingNames = ['name', 'kind', 'filters', 'params', 'channelIds', 'mailOwners', 'enabled'];

const stored = ({ rule, ...settings }: AlertSettings) => rows.stored({ ...settings, ...rule });

export const alerts = (db: Database): Alerts => {
  const ofSite = db.prepare(`${selected} where a.site_id = ? order by a.id`);
  const enabled = db.prepare(`${selected} where a.enabled = 1 order by a.site_id, a.id`);
  const byToken = db.prepare(`${selected} where a.mute_token = ?`);
  const byId = db.prepare(`${selected} where a.id = ?`);
  const count = db.prepare('select count(*) from alert where site_id = ?').pluck();
  const newNames = ['siteId', ...settingNames, 'muteToken', 'madeBy', 'createdAt'];
  const insert = db.prepare(`${insertInto('alert', newNames)} returning id`);
  const update = db.prepare(`update alert set ${assigned(settingNames)} where id = @id`);
  const forget = db.prepare('delete from alert_state where alert_id = ?');
  const remove = db.prepare('delete from alert where id = ?');
  const mute = db.prepare('update alert set muted_until = ? where id = ?');
  const setState = db.prepare(
    `insert or replace into alert_state (alert_id, state, since, value, expected, low, high, evaluated_at, fired_at, memory)
     select id, @state, @since, @value, @expected, @low, @high, @evaluatedAt, @firedAt, @memory from alert where id = @id`,
  );
  const mailing = db
    .prepare(
      `select count(*) from alert a where a.enabled = 1 and (a.mail_owners = 1 or exists (
       select 1 from json_each(a.channel_ids) own join channel c on c.id = own.value where c.kind = 'mail'))`,
    )
    .pluck();
  const without = db
    .prepare(
      `select s.id from site s where not exists (select 1 from alert a where a.site_id = s.id and a.kind = @kind)
       and s.members is null and (select coalesce(sum(hits), 0) from day_part where site_id = s.id and sealed_at is not null)
         + (select count(*) from (select 1 from hit where site_id = s.id limit @hits)) >= @hits`,
    )
    .pluck();
  return {
    list: siteId => ofSite.all(siteId).map(alertOf),
    enabled: () => enabled.all().map(alertOf),
    byMuteToken: token => byToken.all(token).map(alertOf)[0],
    add: db.transaction((alert: NewAlert) => {
      if ((count.get(alert.siteId) as number) >= alertsMax) return undefined;
      const { id } = insert.get(stored(alert)) as { id: number };
      return alertOf(byId.get(id));
    }) as Alerts['add'],
    set: db.transaction((id: number, settings: AlertSettings) => {
      update.run({ ...stored(settings), id });
      forget.run(id);
    }) as Alerts['set'],
    remove: id => void remove.run(id),
    mute: (id, until) => void mute.run(until, id),
    setState: (id, { memory, ...state }) => void setState.run({ ...state, id, memory: JSON.stringify(memory) }),
    mailing: () => mailing.get() as number,
    without: (kind, hits) => without.all({ kind, hits }) as number[],
  };
};
