/** `daybook alert …` and `channel …`: what sites tell, and where. */
import {
  type AlertStores,
  addAlert,
  addChannel,
  type ChangedBy,
  changeAlert,
  channelJson,
  newSecret,
  removeAlert,
  removeChannel,
  testChannel,
  tried,
} from '../api/alerts/changes.ts';
import { type TriedAnswer, tryAlert } from '../api/alerts/try.ts';
import { ask, runFor } from '../api/ask.ts';
import { viewOfSite } from '../api/site-view.ts';
import { mailOf, readConfig } from '../config.ts';
import { HttpError } from '../http/errors.ts';
import { channelKindNames } from '../model/alerts/channel-kinds.ts';
import { alertKindNames } from '../model/alerts/kinds.ts';
import { accounts } from '../store/accounts/accounts.ts';
import type { Alert } from '../store/alerts/alerts.ts';
import type { Channel } from '../store/alerts/channels.ts';
import { definitions } from '../store/definitions.ts';
import { notes } from '../store/notes.ts';
import { rates } from '../store/rates.ts';
import { siteDirectory } from '../store/sites.ts';
import { storesOf } from '../store/stores.ts';
import { noteByCommand } from './audit.ts';
import { type Command, CommandError, type CommandInput, command, type Opened } from './command.ts';
import { engineOfCommand } from './command-engine.ts';
import { accountFlag, listFlag, switchFlag, textFlag } from './flags.ts';
import { counted, formatCount, listing, table } from './format.ts';
import { accountNamed, siteNamed } from './lookup.ts';

/** What the API refuses is a sentence for people, too. Throws CommandError. */
const told = <T>(change: () => T): T => {
  try {
    return change();
  } catch (error) {
    if (error instanceof HttpError) throw new CommandError(`${error.message.replace(/\.$/, '')}.`);
    throw error;
  }
};

const done = (change: () => void): { done: true } => {
  told(change);
  return { done: true };
};

const commandBy = (db: Opened['db'], accountId: number, now: number): ChangedBy => ({
  ...{ accountId, name: 'cli', now, overrules: true },
  note: (action, subject, details) => noteByCommand(db, now, { accountId, action, subject, details }),
});

/** Mail is sent where the server that has this environment sends it. */
const storesIn = ({ db, dataDir, env, random }: Opened): AlertStores => ({
  ...{ ...storesOf(db), random },
  sendsMail: mailOf(readConfig(env, { data: dataDir })) !== null,
});

const siteIn = (world: Opened, domain: string, account: string | undefined) => {
  const { db, now } = world;
  const site = siteNamed(db, domain, account);
  const owner = accounts(db).byId(site.accountId)!;
  const directory = siteDirectory(db);
  const parts = { definitions: definitions(db), directory, notes: notes(db), now };
  const view = viewOfSite(parts, site, { account: owner, hidden: new Set() });
  return {
    site,
    view,
    directory,
    stores: storesIn(world),
    by: commandBy(db, owner.id, now()),
  };
};

const teamIn = (world: Opened, name: string | undefined) => {
  const { db, now } = world;
  const account = accountNamed(db, name);
  return { account, stores: storesIn(world), by: commandBy(db, account.id, now()) };
};

const alertFlags = {
  name: textFlag('NAME', 'What messages call it; its kind where nothing is said'),
  param: listFlag('NAME=VALUE', 'What the kind takes, such as number=100 or sensitivity=keen (docs/alerts.md)'),
  filters: textFlag('FILTERS', 'As in an address, with & between them'),
  channel: listFlag('NAME', 'Where it is told (daybook channel list)'),
  'mail-owners': switchFlag('Owners of the team get mail'),
  off: switchFlag('It is kept, and judges nothing'),
  ...accountFlag,
};

type AlertGiven = CommandInput<typeof alertFlags>['flags'];

/** Numbers are numbers, and the rest is text. */
const paramsOf = (typed: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    typed.map(one => {
      const [, name, value = ''] = /^(\w+)=(.*)$/.exec(one) ?? [];
      if (name === undefined) throw new CommandError(`${one} is no NAME=VALUE.`);
      return [name, value !== '' && Number.isFinite(Number(value)) ? Number(value) : value];
    }),
  );

const alertBody = (kind: string, given: AlertGiven, channels: readonly Channel[]): object => ({
  ...{ kind, name: given.name ?? kind, params: paramsOf(given.param ?? []), filters: given.filters ?? '' },
  ...{ mailOwners: given['mail-owners'], enabled: !given.off },
  channels: (given.channel ?? []).map(name => channelNamed(channels, name).id),
});

/** Throws CommandError. */
export const channelNamed = (channels: readonly Channel[], name: string): Channel => {
  const found = channels.find(channel => channel.name === name);
  if (found === undefined) throw new CommandError(`There is no channel ${name}: daybook channel list shows them.`);
  return found;
};

const stateOf = ({ enabled, state }: Pick<Alert, 'enabled' | 'state'>): string =>
  enabled ? (state?.state ?? 'new') : 'off';

const alertList = command({
  name: 'alert list',
  operands: { DOMAIN: String },
  flags: accountFlag,
  summary: 'List the alerts of a site',
  database: 'change',
  run: (world, { operands: { DOMAIN }, flags: { account } }) => {
    const { site, stores } = siteIn(world, DOMAIN, account);
    return listing(
      stores.alerts.list(site.id).map(alert => ({ ...alert, kind: alert.rule.kind, muteToken: undefined })),
      { ID: ({ id }) => String(id), KIND: 'kind', STATE: stateOf, NAME: 'name' },
      'There are no alerts yet.',
    );
  },
});

const alertAdd = command({
  name: 'alert add',
  operands: { DOMAIN: String, KIND: String },
  flags: alertFlags,
  summary: 'Add an alert to a site',
  details: `KIND is one of ${alertKindNames.join(', ')}.`,
  database: 'change',
  run: (world, { operands: { DOMAIN, KIND }, flags }) => {
    const { site, view, stores, by } = siteIn(world, DOMAIN, flags.account);
    const body = alertBody(KIND, flags, stores.channels.list(site.accountId));
    const json = told(() => addAlert(stores, view, body, by));
    return { json, text: `Added the alert ${json.name} to ${site.domain}.` };
  },
});

const alertTry = command({
  name: 'alert try',
  operands: { DOMAIN: String, KIND: String },
  flags: { param: alertFlags.param, filters: alertFlags.filters, ...accountFlag },
  summary: 'Show when an alert would have fired in the last six weeks',
  details: 'Nothing is saved.',
  run: async (world, { operands: { DOMAIN, KIND: kind }, flags: { param = [], filters = '', account } }) => {
    const { site, view, directory } = siteIn(world, DOMAIN, account);
    const about = told(() => tried({ kind, params: paramsOf(param), filters }, view));
    const engine = engineOfCommand(world);
    try {
      const asked = { site, asker: { accountId: site.accountId, isPublic: false }, always: [] };
      const run = runFor({ engine, rates: rates(world.db), directory }, asked, world.signal);
      const json = await ask(tryAlert(about.rule, about.filters, view), run);
      return { json, text: triedText(json) };
    } finally {
      await engine.close();
    }
  },
});

const triedText = ({ count, data }: TriedAnswer): string => {
  if (count === 0) return 'It would not have fired in the last six weeks.';
  const rows = data.map(({ from, to, value, expected, sources }) => [
    ...[from.replace('T', ' '), to?.replace('T', ' ') ?? 'goes on', value],
    sources.length > 0 ? sources.join(', ') : expected === null ? null : `usually ${formatCount(expected)}`,
  ]);
  const told = `It would have fired ${counted(count, 'time')} in the last six weeks.`;
  return `${told}\n\n${table(['FROM', 'TO', 'VALUE', 'BESIDE'], rows)}`;
};

const alertSet = command({
  name: 'alert set',
  operands: { DOMAIN: String, ID: String, KIND: String },
  flags: alertFlags,
  summary: 'Change an alert',
  details: 'What is not given is as in a new alert.',
  database: 'change',
  run: (world, { operands: { DOMAIN, ID, KIND }, flags }) => {
    const { site, view, stores, by } = siteIn(world, DOMAIN, flags.account);
    const body = alertBody(KIND, flags, stores.channels.list(site.accountId));
    const json = told(() => changeAlert(stores, view, ID, body, by));
    return { json, text: `Changed the alert ${json.name} of ${site.domain}.` };
  },
});

const alertRemove = command({
  name: 'alert remove',
  operands: { DOMAIN: String, ID: String },
  flags: accountFlag,
  summary: 'Remove an alert',
  database: 'change',
  run: (world, { operands: { DOMAIN, ID }, flags: { account } }) => {
    const { site, view, stores, by } = siteIn(world, DOMAIN, account);
    told(() => removeAlert(stores, view, ID, by));
    return { json: { site: site.domain, id: ID, removed: true }, text: `Removed the alert ${ID} of ${site.domain}.` };
  },
});

const channelStateOf = ({ kind, disabledAt, failingSince, verifiedAt }: Channel, sendsMail: boolean): string => {
  if (disabledAt !== null) return 'off';
  if (kind === 'mail') return sendsMail ? 'set up' : 'no mail server';
  if (failingSince !== null) return 'failing';
  return verifiedAt === null ? 'untried' : 'works';
};

const channelList = command({
  name: 'channel list',
  flags: accountFlag,
  summary: 'List the channels of an account',
  database: 'change',
  run: (world, { flags: { account } }) => {
    const { stores, by } = teamIn(world, account);
    const all = stores.channels.list(by.accountId);
    return {
      ...listing(
        all,
        { NAME: 'name', KIND: 'kind', STATE: channel => channelStateOf(channel, stores.sendsMail) },
        'There are no channels yet.',
      ),
      json: all.map(channelJson),
    };
  },
});

const channelAdd = command({
  name: 'channel add',
  operands: { KIND: String, NAME: String, TARGET: String },
  flags: {
    secret: textFlag('TEXT', 'The token that the kind takes'),
    ...accountFlag,
  },
  summary: 'Add a channel that alerts are told to',
  details: `KIND is one of ${channelKindNames.join(', ')}. The secret of a webhook is printed once.`,
  database: 'change',
  run: (world, { operands: { KIND: kind, NAME: name, TARGET: target }, flags: { secret, account } }) => {
    const { stores, by } = teamIn(world, account);
    const json = told(() => addChannel(stores, { kind, name, target, secret }, by));
    const shown = kind === 'webhook' ? `\n${json.secret} signs its messages. It is not shown again.` : '';
    return { json, text: `Added the channel ${name}.${shown}` };
  },
});

const channelCommand = (
  verb: 'test' | 'secret' | 'remove',
  summary: string,
  does: (team: ReturnType<typeof teamIn>, channel: Channel) => { json: unknown; text: string },
): Command =>
  command({
    ...{ name: `channel ${verb}`, operands: { NAME: String }, flags: accountFlag, summary },
    database: 'change',
    run: (world, { operands: { NAME }, flags: { account } }) => {
      const team = teamIn(world, account);
      return does(team, channelNamed(team.stores.channels.list(team.by.accountId), NAME));
    },
  });

export const alertCommands: readonly Command[] = [
  ...[alertList, alertAdd, alertTry, alertSet, alertRemove, channelList, channelAdd],
  channelCommand(
    'test',
    'Send a test, and switch a channel on that was off',
    ({ stores, by, account }, { id, name }) => ({
      json: done(() => testChannel(stores, String(id), account.name, by)),
      text: `A running server sends a test to ${name} now: daybook channel list shows what became of it.`,
    }),
  ),
  channelCommand(
    'secret',
    'Make a new secret for a webhook; the old one signs too for a day',
    ({ stores, by }, { id, name }) => {
      const json = told(() => newSecret(stores, String(id), by));
      return { json, text: `${json.secret} signs messages to ${name} now. It is not shown again.` };
    },
  ),
  channelCommand('remove', 'Remove a channel', ({ stores, by }, { id, name }) => ({
    json: done(() => removeChannel(stores, String(id), by)),
    text: `Removed the channel ${name}.`,
  })),
];
