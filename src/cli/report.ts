/** `daybook report …`: what is mailed of a site, and to whom. */
import { writeFileSync } from 'node:fs';
import { createApi } from '../api/api.ts';
import type { Caller } from '../api/auth.ts';
import type { ReadableSite } from '../api/endpoint.ts';
import { type Environment, readConfig } from '../config.ts';
import { HttpError } from '../http/errors.ts';
import { noLocaleChoice } from '../model/locale.ts';
import { publicPartNames } from '../model/public-parts.ts';
import { cadences, reportBlockNames } from '../model/reports.ts';
import { rightNames } from '../model/rights.ts';
import { emailOf } from '../model/values.ts';
import type { Keeper } from '../reports/keeper.ts';
import { keeperOf } from '../roles/reports.ts';
import { accounts } from '../store/accounts/accounts.ts';
import { type Channel, channels } from '../store/alerts/channels.ts';
import { siteDirectory } from '../store/sites.ts';
import { storesOf } from '../store/stores.ts';
import { channelNamed } from './alert.ts';
import { type Command, CommandError, command, type Opened } from './command.ts';
import { engineOfCommand } from './command-engine.ts';
import { accountFlag, listFlag, switchFlag, textFlag } from './flags.ts';
import { formatTime, listing } from './format.ts';
import { siteNamed } from './lookup.ts';

const isOn = (typed: string): boolean => {
  if (typed === 'on' || typed === 'off') return typed === 'on';
  throw new CommandError('--csv is on or off.');
};

const choiceFlags = {
  to: listFlag('EMAIL', 'Who gets it; all of them, where any is given'),
  cadence: textFlag('NAME', `The period: ${cadences.join(', ')}; default: week`),
  weekday: textFlag('N', 'That weeks begin with, 1 for Monday', Number),
  hour: textFlag('N', 'Of the site’s time zone; default: 8', Number),
  language: textFlag('CODE', 'For who has not chosen one'),
  filters: textFlag('FILTERS', 'As in an address'),
  block: listFlag('NAME', `What is in it: ${reportBlockNames.join(', ')}`),
  channel: listFlag('NAME', 'Who is told the headline figures, too (daybook channel list)'),
  part: listFlag('NAME', `What others get besides what the public page shows: ${publicPartNames.join(', ')}`),
  csv: textFlag('on|off', 'Attach the numbers as a file', isOn),
};
type Lists = 'to' | 'block' | 'part' | 'channel';
type Choice = Partial<
  Record<Exclude<keyof typeof choiceFlags, Lists>, unknown> & Record<Lists, readonly string[] | undefined>
>;

/** A list as it was given; an empty text stands for none. */
const listed = (given: readonly string[]): string[] => given.filter(each => each !== '');

const bodyOf = ({ to, block, part, channel, ...chosen }: Choice, channels: readonly Channel[]): object => ({
  ...Object.fromEntries(Object.entries(chosen).filter(([name]) => Object.hasOwn(choiceFlags, name))),
  ...(to !== undefined && { recipients: listed(to) }),
  ...(block !== undefined && { blocks: block }),
  ...(part !== undefined && { parts: listed(part) }),
  ...(channel !== undefined && { channels: listed(channel).map(name => channelNamed(channels, name).id) }),
});

interface OnReports {
  keeper: Keeper;
  view: ReadableSite;
  caller: Caller;
  channels: readonly Channel[];
  site: string;
}

const by = { personId: null, name: 'cli', overrules: true } as const;

/** Works on the reports of a site; questions are answered by threads of this process. */
const onReports = async <T>(
  { db, dataDir, env, now, random, signal }: Opened & { env: Environment },
  [domain, accountName]: [domain: string, account: string | undefined],
  work: (on: OnReports) => T | Promise<T>,
): Promise<T> => {
  const { id, accountId, uuid, domain: site } = siteNamed(db, domain, accountName);
  const config = readConfig(env, { data: dataDir });
  const pool = engineOfCommand({ dataDir, env });
  const directory = siteDirectory(db);
  const api = createApi({ ...storesOf(db), directory, engine: pool, now, log: () => {} });
  try {
    const account = accounts(db).byId(accountId)!;
    const grant = { account, rights: new Set(rightNames), sites: null, hidden: new Set<never>(), isPublic: false };
    const caller: Caller = { account, grants: [grant], byKey: false };
    const world = { db, directory, access: api.access, now, random };
    const { keeper } = keeperOf(config, world, () => {});
    const { view } = api.access.siteFor(caller, directory.byId(id) === undefined ? domain : uuid, signal);
    return await work({ keeper, view, caller, channels: channels(db).list(accountId), site });
  } catch (error) {
    throw error instanceof HttpError ? new CommandError(error.message) : error;
  } finally {
    await api.close();
    await pool.close();
  }
};

const reportList = command({
  name: 'report list',
  operands: { DOMAIN: String },
  flags: accountFlag,
  summary: 'List the reports that are mailed of a site',
  run: (context, { operands: { DOMAIN }, flags }) =>
    onReports(context, [DOMAIN, flags.account], ({ keeper, view, channels: own }) =>
      listing(
        keeper.list(view),
        {
          ID: 'id',
          NAME: 'name',
          PERIOD: 'cadence',
          TO: ({ recipients, channels: ids }) =>
            [
              ...recipients.map(({ email }) => email),
              ...own.flatMap(({ id, name }) => (ids.includes(id) ? name : [])),
            ].join(', '),
          NEXT: ({ nextAt }) => (nextAt === null ? 'paused' : formatTime(nextAt)),
          LAST: ({ lastPeriod }) => lastPeriod ?? 'none',
        },
        'There are no reports yet.',
      ),
    ),
});

const reportAdd = command({
  name: 'report add',
  operands: { DOMAIN: String, NAME: String },
  flags: { ...choiceFlags, ...accountFlag },
  summary: 'Mail numbers of a site after each period',
  details: 'It takes --to for each recipient, or --channel. Addresses outside the team are asked first.',
  database: 'change',
  run: (context, { operands: { DOMAIN, NAME: name }, flags }) =>
    onReports(context, [DOMAIN, flags.account], ({ keeper, view, channels: own, site }) => {
      const json = keeper.add(view, { name, ...bodyOf(flags, own) }, by);
      return { json, text: `Added the report ${name} of ${site} (id ${json.id}).` };
    }),
});

const reportSet = command({
  name: 'report set',
  operands: { DOMAIN: String, ID: String },
  flags: {
    ...choiceFlags,
    pause: switchFlag('No longer send it'),
    resume: switchFlag('Send it again'),
    ...accountFlag,
  },
  summary: 'Change, pause or resume a report',
  details: 'An empty --to, --channel or --part stands for none.',
  database: 'change',
  run: (context, { operands: { DOMAIN, ID }, flags }) =>
    onReports(context, [DOMAIN, flags.account], ({ keeper, view, channels: own, site }) => {
      const paused = flags.pause || flags.resume ? { isPaused: flags.pause } : {};
      const json = keeper.change(view, ID, { ...bodyOf(flags, own), ...paused }, by);
      return { json, text: `Changed the report ${json.name} of ${site}.` };
    }),
});

const reportRemove = command({
  name: 'report remove',
  operands: { DOMAIN: String, ID: String },
  flags: accountFlag,
  summary: 'Remove a report',
  database: 'change',
  run: (context, { operands: { DOMAIN, ID: id }, flags }) =>
    onReports(context, [DOMAIN, flags.account], ({ keeper, view, site }) => {
      keeper.remove(view, id, by);
      return { json: { id: Number(id), removed: true }, text: `Removed the report ${id} of ${site}.` };
    }),
});

const reportPreview = command({
  name: 'report preview',
  operands: { DOMAIN: String, ID: String },
  flags: { html: textFlag('FILE', 'Write the HTML of the mail there'), ...accountFlag },
  summary: 'Show the mail of the newest period',
  run: (context, { operands: { DOMAIN, ID }, flags }) =>
    onReports(context, [DOMAIN, flags.account], async ({ keeper, view, caller }) => {
      const json = await keeper.preview(view, ID, caller, context.signal);
      if (flags.html !== undefined) writeFileSync(flags.html, json.html ?? '');
      return { json, text: `${json.subject}\n\n${json.text.trimEnd()}` };
    }),
});

const reportSend = command({
  name: 'report send',
  operands: { DOMAIN: String, ID: String, EMAIL: emailOf },
  flags: accountFlag,
  summary: 'Mail the newest period now',
  details: 'The running server sends it. SMTP_URL has to be set for the command, too.',
  database: 'change',
  run: (context, { operands: { DOMAIN, ID, EMAIL: email }, flags }) =>
    onReports(context, [DOMAIN, flags.account], async ({ keeper, view, caller }) => {
      await keeper.sendNow(view, ID, { caller, email, locale: noLocaleChoice }, context.signal);
      return { json: { id: Number(ID), to: email }, text: `The server sends it to ${email}.` };
    }),
});

export const reportCommands: readonly Command[] = [
  ...[reportList, reportAdd, reportSet, reportRemove, reportPreview, reportSend],
];
