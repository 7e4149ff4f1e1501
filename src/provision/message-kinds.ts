/** Channels, alerts and reports in a file of settings: made by the same functions as in the API. */
import { addAlert, addChannel, type ChangedBy, changeAlert, changeChannel } from '../api/alerts/changes.ts';
import { asTyped } from '../api/changes/fields.ts';
import type { ReadableSite } from '../api/endpoint.ts';
import type { ReportView } from '../api/report-keeper.ts';
import { viewOfSite } from '../api/site-view.ts';
import { channelKindOf } from '../model/alerts/channel-kinds.ts';
import { alertKindOf, alertRuleOf } from '../model/alerts/kinds.ts';
import { FieldError } from '../model/fields.ts';
import { suggestion } from '../model/nearest.ts';
import { isRecord } from '../model/record.ts';
import { type ReportChoice, reportFieldOf, reportFields } from '../model/reports.ts';
import { nameOf } from '../model/values.ts';
import type { Alert } from '../store/alerts/alerts.ts';
import type { Channel } from '../store/alerts/channels.ts';
import { anyValue, type FileWorld, isSame, kind, list, only, onOff, text, type Where } from './kind.ts';

const changedBy = ({ maker, now }: FileWorld, { account }: Where): ChangedBy => ({
  ...{ accountId: account!.id, name: maker(account!).name, now: now(), overrules: true },
  // The audit tells of the file as a whole.
  note() {},
});

/** A file has alerts of sites alone. */
const viewIn = (world: FileWorld, { account, site }: Where): ReadableSite =>
  viewOfSite({ ...world, directory: { members: () => [] } }, site!, { account: account!, hidden: new Set() });

export const channels = kind<Channel>({
  ...{ plural: 'channels', key: ['name'], needs: ['kind', 'target'] },
  fields: {
    ...{ name: text(nameOf), kind: text(channelKindOf) },
    // The address of some kinds lets anybody send.
    ...{ target: { ...text(asTyped), isSecret: true }, secret: { ...text(asTyped), isSecret: true } },
  },
  find: ({ channels }, { account }, { name }) => channels.list(account!.id).find(channel => channel.name === name),
  values({ kind, target, secret }, _, given) {
    const isMail = kind === 'mail' && String(given.target).toLowerCase() === target;
    return { kind, target: isMail ? given.target : target, secret: secret ?? '' };
  },
  set(world, where, given, was) {
    // A secret goes nowhere but where it went: another target could be somebody else's.
    const isSameTarget = was?.kind === 'telegram' || was?.target === (given.target ?? was?.target);
    const keepsSecret = was?.kind !== 'webhook' && was?.kind === (given.kind ?? was?.kind) && isSameTarget;
    const body = { ...was, secret: (keepsSecret && was?.secret) || '', ...given };
    if (was === undefined) addChannel(world, body, changedBy(world, where));
    else changeChannel(world, was, body, changedBy(world, where));
    return undefined;
  },
  remove: ({ channels }, _, { id }) => channels.remove(id),
});

/** Names of channels in the order that `channelNames` has them in. */
const nameList = list(typed => [...new Set(typed.map(nameOf))].sort());

const channelNames = ({ channels }: FileWorld, { account }: Where, ids: readonly number[]): string[] =>
  channels
    .list(account!.id)
    .flatMap(({ id, name }) => (ids.includes(id) ? name : []))
    .sort();

/** The ids of channels of the team by their names. Throws FieldError. */
const channelIds = ({ channels }: FileWorld, { account }: Where, names: readonly string[]): number[] => {
  const { id, name: team } = account!;
  const all = channels.list(id);
  return names.map(name => {
    const found = all.find(channel => channel.name === name);
    if (found !== undefined) return found.id;
    const known = all.map(channel => channel.name);
    throw new FieldError('channels', `The team ${team} has no channel ${name}.${suggestion(name, known)}`, known);
  });
};

export const alerts = kind<Alert>({
  ...{ plural: 'alerts', key: ['name'], needs: ['kind'], isLate: true },
  fields: {
    ...{ name: text(nameOf), kind: text(alertKindOf), params: anyValue(paramsOf), filters: text(asTyped) },
    ...{ channels: nameList, mailOwners: onOff, enabled: onOff },
  },
  find: ({ alerts }, { site }, { name }) => alerts.list(site!.id).find(alert => alert.name === name),
  values: ({ rule, filters, channelIds, mailOwners, enabled }, world, given, where) => ({
    ...{ kind: rule.kind, filters, mailOwners, enabled, channels: channelNames(world, where, channelIds) },
    // What is left out of params has a preset.
    params:
      'params' in given &&
      isSame(alertRuleOf({ kind: rule.kind, ...only(given, ['kind', 'params']) }).params, rule.params)
        ? given.params
        : rule.params,
  }),
  set(world, where, given, was) {
    const { kind = was?.rule.kind, channels } = given;
    const ids = channels === undefined ? knownIds(world, where, was) : channelIds(world, where, channels as string[]);
    const before = was && { ...was, params: kind === was.rule.kind ? was.rule.params : {} };
    const body = { ...before, ...given, kind, channels: ids };
    const [view, by] = [viewIn(world, where), changedBy(world, where)];
    if (was === undefined) addAlert(world, view, body, by);
    else changeAlert(world, view, String(was.id), body, by);
    return undefined;
  },
  remove: ({ alerts }, _, { id }) => alerts.remove(id),
});

/** Those of an alert that still are. */
const knownIds = ({ channels }: FileWorld, { account }: Where, was: Alert | undefined): number[] =>
  channels.list(account!.id).flatMap(({ id }) => (was?.channelIds.includes(id) ? id : []));

function paramsOf(typed: unknown): object {
  if (isRecord(typed)) return typed;
  throw new FieldError('params', 'params must be names with values, like hours: 24.');
}

const reportBy = ({ maker }: FileWorld, { account }: Where) => {
  const { id, name } = maker(account!);
  return { personId: id, name, overrules: true } as const;
};

/** In the order in which lists are kept. */
const reportValueOf = (field: keyof ReportChoice, typed: unknown): unknown => {
  const value = reportFieldOf(field, typed);
  return field === 'recipients' ? [...(value as string[])].sort() : value;
};

export const reports = kind<ReportView>({
  ...{ plural: 'reports', key: ['name'], isLate: true },
  fields: {
    ...Object.fromEntries(reportFields.map(field => [field, anyValue(typed => reportValueOf(field, typed))])),
    channels: nameList,
  },
  find: (world, where, { name }) => world.reports.list(viewIn(world, where)).find(report => report.name === name),
  values: (report, world, _, where) => ({
    ...{ ...report, recipients: report.recipients.map(({ email }) => email) },
    channels: channelNames(world, where, report.channels),
  }),
  set(world, where, given, was) {
    const view = viewIn(world, where);
    const { channels } = given;
    const body =
      channels === undefined ? given : { ...given, channels: channelIds(world, where, channels as string[]) };
    if (was === undefined) return world.reports.add(view, body, reportBy(world, where));
    return world.reports.change(view, String(was.id), body, reportBy(world, where));
  },
  remove: (world, where, { id }) => world.reports.remove(viewIn(world, where), String(id), reportBy(world, where)),
});
