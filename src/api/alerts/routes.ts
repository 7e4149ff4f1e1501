/** The paths of alerts of sites and channels of the team. */
import { HttpError } from '../../http/errors.ts';
import { isDone, json } from '../../http/reply.ts';
import { channelKindNames, channelKinds } from '../../model/alerts/channel-kinds.ts';
import { alertKindNames, alertKinds, alertsMax, channelsMax } from '../../model/alerts/kinds.ts';
import { ask } from '../ask.ts';
import { noteBy } from '../changes/by.ts';
import { done, type Operation, operation } from '../operation.ts';
import type { ApiCall } from '../route.ts';
import {
  count,
  described,
  instant,
  list,
  nullable,
  number,
  object,
  oneOf,
  type Schema,
  text,
  truth,
} from '../schema.ts';
import {
  addAlert,
  addChannel,
  alertList,
  type ChangedBy,
  changeAlert,
  channelList,
  muteAlert,
  newSecret,
  removeAlert,
  removeChannel,
  testChannel,
  tried,
} from './changes.ts';
import { triedSchema, tryAlert } from './try.ts';

const meanings = (rows: Readonly<Record<string, string>>): string =>
  Object.entries(rows)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join('. ');

const about = {
  kind: described(oneOf(alertKindNames), meanings(alertKinds)),
  params: described({ type: 'object' } as Schema, 'ChangedBy kind, as docs/alerts.md says'),
  filters: described(text, 'As in an address, with & between them'),
};
const settings = { name: text, channels: list(count), mailOwners: truth, enabled: truth };
const alertSchema = object({
  id: count,
  ...about,
  ...settings,
  mutedUntil: nullable(instant),
  madeBy: text,
  createdAt: instant,
  state: nullable(
    object({
      state: oneOf(['calm', 'firing', 'blind']),
      since: instant,
      firedAt: nullable(instant),
      ...{ value: nullable(number), expected: nullable(number), low: nullable(number), high: nullable(number) },
    }),
  ),
});
const channelKind = oneOf(channelKindNames);
const channelSchema = object({
  ...{ id: count, name: text, madeBy: text, createdAt: instant },
  kind: channelKind,
  target: text,
  secret: described(nullable(text), 'Its last characters; whole only when it is made'),
  oldSecretUntil: nullable(instant),
  verifiedAt: nullable(instant),
  failingSince: nullable(instant),
  disabledAt: nullable(instant),
  lastError: nullable(text),
});

const takenAlert = object({ kind: about.kind }, { params: about.params, filters: about.filters, ...settings });
const takenChannel = object(
  {
    name: text,
    kind: channelKind,
    target: described(
      text,
      meanings(Object.fromEntries(Object.entries(channelKinds).map(([name, row]) => [name, row.target]))),
    ),
  },
  { secret: text },
);
/** Without a mail server what alerts tell by mail is not written. */
const listSchema = <T>(row: Schema<T>, max: number) =>
  object({ data: list(row, max), sendsMail: described(truth, 'Whether a mail server is set') });
const byIn = (call: ApiCall): ChangedBy => {
  const [changes, by] = [call.changes(), call.by()];
  const note: ChangedBy['note'] = (action, subject, details) => noteBy(changes, by, action, subject, details);
  return { accountId: call.caller.account.id, name: 'API key', now: call.now(), note };
};
const viewIn = (call: ApiCall) => call.site().view;

const ofSite = '/api/ext/sites/:id/alerts';
const siteRows: Operation[] = [
  {
    ...{ method: 'GET', path: ofSite, name: 'alerts', gives: listSchema(alertSchema, alertsMax) },
    summary: 'Alerts of a site, and what they last saw',
    answer: call => json(200, alertList(call.alerting(), viewIn(call))),
  },
  {
    ...{ method: 'POST', path: ofSite, name: 'addAlert', right: 'settings', takes: takenAlert, gives: alertSchema },
    summary: 'Adds an alert',
    async answer(call) {
      return json(200, addAlert(call.alerting(), viewIn(call), await call.body(), byIn(call)));
    },
  },
  {
    ...{ method: 'POST', path: `${ofSite}/try`, name: 'tryAlert', takes: takenAlert, gives: triedSchema },
    summary: 'When an alert would have fired in the last six weeks',
    async answer(call) {
      const { view, run } = call.site();
      const { rule, filters } = tried(await call.body(), view);
      return json(200, await ask(tryAlert(rule, filters, view), run));
    },
  },
  {
    ...{ method: 'POST', path: `${ofSite}/:alert`, name: 'changeAlert', right: 'settings' },
    ...{ summary: 'Changes an alert', takes: takenAlert, gives: alertSchema },
    async answer(call) {
      return json(
        200,
        changeAlert(call.alerting(), viewIn(call), call.parameters.alert!, await call.body(), byIn(call)),
      );
    },
  },
  {
    ...{ method: 'POST', path: `${ofSite}/:alert/mute`, name: 'muteAlert', right: 'settings' },
    ...{ summary: 'Sends no messages of an alert for some hours', takes: object({ hours: count }), gives: alertSchema },
    async answer(call) {
      return json(200, muteAlert(call.alerting(), viewIn(call), call.parameters.alert!, await call.body(), byIn(call)));
    },
  },
  {
    ...{ method: 'DELETE', path: `${ofSite}/:alert`, name: 'removeAlert', right: 'settings', gives: done },
    summary: 'Removes an alert',
    answer(call) {
      removeAlert(call.alerting(), viewIn(call), call.parameters.alert!, byIn(call));
      return isDone();
    },
  },
];

const ofTeam = '/api/ext/channels';
const teamRows: Operation[] = [
  {
    ...{ method: 'GET', path: ofTeam, name: 'channels', right: 'settings' },
    ...{ summary: 'Channels of the team', gives: listSchema(channelSchema, channelsMax) },
    answer: call => json(200, channelList(call.alerting(), call.caller.account.id)),
  },
  {
    ...{ method: 'POST', path: ofTeam, name: 'addChannel', right: 'share', takes: takenChannel, gives: channelSchema },
    summary: 'Adds a channel',
    answer: async call => json(200, addChannel(call.alerting(), await call.body(), byIn(call))),
  },
  {
    ...{ method: 'POST', path: `${ofTeam}/:channel/test`, name: 'testChannel', right: 'share', gives: done },
    summary: 'Sends a test, and switches a channel on that was off',
    answer(call) {
      testChannel(call.alerting(), call.parameters.channel!, call.caller.account.name, byIn(call));
      return isDone();
    },
  },
  {
    ...{ method: 'POST', path: `${ofTeam}/:channel/secret`, name: 'newSecret', right: 'share', gives: channelSchema },
    summary: 'Makes a new secret; the old one signs too for a day',
    answer: call => json(200, newSecret(call.alerting(), call.parameters.channel!, byIn(call))),
  },
  {
    ...{ method: 'DELETE', path: `${ofTeam}/:channel`, name: 'removeChannel', right: 'share', gives: done },
    summary: 'Removes a channel',
    answer(call) {
      removeChannel(call.alerting(), call.parameters.channel!, byIn(call));
      return isDone();
    },
  },
];

/** Channels are the whole team's, so they are not for who is limited to some of its sites. */
const refuseLimited = ({ caller: { account, grants } }: ApiCall, right: Operation['right']): void => {
  const grant = grants.find(each => each.account.id === account.id);
  if (grant === undefined || grant.sites !== null || !grant.rights.has(right!)) throw new HttpError('not-allowed');
};
const ofWholeTeam = (row: Operation): Operation => ({
  ...row,
  answer(call) {
    call.alerting();
    refuseLimited(call, row.right);
    return row.answer(call);
  },
});

export const alertRoutes = [...siteRows, ...teamRows.map(ofWholeTeam)].map(row => operation({ tag: 'alerts', ...row }));
export const alertSchemas = { Alert: alertSchema, Channel: channelSchema, NewAlert: takenAlert };
