/**
 * `daybook site …`: sites and their settings. A running server sees a change at its very next hit.
 */
import { createInterface } from 'node:readline/promises';
import { baseUrlOf, type Environment, readSetting } from '../config.ts';
import { newSite } from '../model/new-site.ts';
import { hitSettings, isRollup, ownersSite, type Site, siteSummary } from '../model/site.ts';
import { siteSettings } from '../model/site-settings.ts';
import { domainOf, publicPartsOf, uuidOf } from '../model/values.ts';
import { accounts, defaultAccountName } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { dropSites } from '../store/maintenance/drop-sites.ts';
import { notes, noteZone } from '../store/notes.ts';
import { type SiteSettings, sites } from '../store/sites.ts';
import { noteByCommand } from './audit.ts';
import {
  accountFlag,
  CommandError,
  type CommandInput,
  type Context,
  command,
  type Flags,
  listFlag,
  type Opened,
  switchFlag,
  textFlag,
  UsageError,
} from './command.ts';
import { listing } from './format.ts';
import { runShown } from './long-work.ts';
import { accountIdOf, siteNamed, siteWithHits } from './lookup.ts';
import { clusterFlag, onCluster } from './on-cluster.ts';
import { sharePublic } from './share.ts';

type Settings = typeof siteSettings;
const settingFlags = {
  ...(Object.fromEntries(Object.values(siteSettings).map(({ flag, ...row }) => [flag, row])) as {
    [N in keyof Settings as Settings[N]['flag']]: Omit<Settings[N], 'flag'>;
  }),
  'public-part': listFlag(
    'PART',
    'What its link public shows besides the numbers; makes that link where there is none (as daybook share set)',
    publicPartsOf,
  ),
};

/** The settings that were given. */
const settingsOf = (flags: CommandInput<typeof settingFlags>['flags']): Partial<SiteSettings> =>
  Object.fromEntries(
    Object.entries(siteSettings).flatMap(([name, { flag }]) =>
      flags[flag] === undefined ? [] : [[name, flags[flag]]],
    ),
  );

export const siteAdd = command({
  name: 'site add',
  operands: { DOMAIN: domainOf },
  flags: {
    ...settingFlags,
    id: textFlag('UUID', 'The site’s id (default: a new one)', uuidOf),
    ...accountFlag,
  },
  summary: 'Add a site',
  details: `The domain is stored in lower case, without scheme, port and path. The tracker tag carries the public key. Without flags the
time zone is UTC, the currency USD and the identity mode hash.`,
  database: 'create',
  run: ({ db, now, random, env }, { operands: { DOMAIN: domain }, flags }) => {
    const given = {
      accountId: accounts(db).named(flags.account ?? defaultAccountName, now()).id,
      domain,
      ...(flags.id !== undefined && { uuid: flags.id }),
      ...settingsOf(flags),
    };
    const site = sites(db).add(newSite(given, now(), random));
    sharePublic({ db, now, random }, site, flags['public-part']);
    return { json: siteSummary(site), text: addedText(site, collectorOf(env)) };
  },
});

const addedText = (site: Site, collector: string): string => `Added ${site.domain}.
  id          ${site.uuid}
  public key  ${site.publicKey}

Add this to the head of every page:
  <script defer src="${collector}/t.js" data-site="${site.publicKey}"></script>`;

/** Where browsers reach the collector, as far as the settings of this command tell. */
const collectorOf = (env: Environment): string => {
  const url = readSetting('collectorUrl', env, {});
  if (url !== null) return url;
  const own = readSetting('collectorPort', env, {});
  return own === null ? baseUrlOf(env, {}) : `http://${readSetting('host', env, {})}:${own}`;
};

/** A site as the listing shows it. */
const listed = (db: Database, site: Site) => ({
  ...ownersSite(site),
  account: accounts(db).byId(site.accountId)?.name,
});

export const siteList = command({
  name: 'site list',
  flags: accountFlag,
  summary: 'List the sites',
  run: ({ db }, { flags }) =>
    listing(
      sites(db)
        .list(accountIdOf(db, flags.account))
        .filter(site => !isRollup(site))
        .map(site => listed(db, site)),
      {
        DOMAIN: ({ domain }) => domain,
        'PUBLIC KEY': ({ publicKey }) => publicKey,
        ID: ({ id }) => id,
        'TIME ZONE': ({ timezone }) => timezone,
        CURRENCY: ({ currency }) => currency,
        MODE: ({ identityMode }) => identityMode,
        ACCOUNT: ({ account }) => account ?? null,
        ALIASES: ({ aliases }) => aliases.join(' ') || null,
        EXCLUDED: ({ excludedIps, excludedPaths, excludedCountries }) =>
          [...excludedIps, ...excludedPaths, ...excludedCountries].join(' ') || null,
      },
      'There are no sites yet.',
    ),
});

export const siteSet = command({
  name: 'site set',
  operands: { DOMAIN: String },
  flags: {
    ...settingFlags,
    domain: textFlag('DOMAIN', 'A new domain', domainOf),
    ...accountFlag,
  },
  summary: 'Change settings of a site',
  details: `A list replaces the one before it. To clear a list, or to use the server’s own number again, give an empty value:
--exclude-ip "".`,
  database: 'change',
  run: ({ db, now, random }, { operands: { DOMAIN }, flags }) => {
    const changes = { ...settingsOf(flags), ...(flags.domain !== undefined && { domain: flags.domain }) };
    if (Object.keys(changes).length === 0 && flags['public-part'] === undefined)
      throw new UsageError('site set needs at least one setting to change.');
    const before = siteNamed(db, DOMAIN, flags.account);
    if (isRollup(before) && hitSettings.some(name => name in changes)) siteWithHits(db, DOMAIN, flags.account);
    const site = { ...before, ...changes };
    sites(db).set(site.id, site);
    noteZone(notes(db), before, site, now());
    sharePublic({ db, now, random }, site, flags['public-part']);
    return { json: listed(db, site), text: `Changed ${site.domain}.` };
  },
});

const deletingFlags = {
  ...clusterFlag,
  yes: switchFlag('Do not ask: a script has to say so'),
  ...accountFlag,
} as const satisfies Flags;

/** Deleting needs `--yes` or, on a terminal, the domain typed once more. */
const confirm = async (context: Context, yes: boolean, site: Site, what: string): Promise<void> => {
  if (yes) return;
  if (!context.isTerminal.stdin)
    throw new UsageError(`This deletes ${what} for good. Where nobody can be asked, it needs --yes.`);
  context.stderr.write(`This deletes ${what} for good. Type ${site.domain} to go on: `);
  const answers = createInterface({ input: context.stdin, signal: context.signal });
  try {
    for await (const answer of answers) {
      if (answer.trim() === site.domain) return;
      break;
    }
  } finally {
    answers.close();
  }
  throw new CommandError(`Nothing was changed: the answer was not ${site.domain}.`);
};

/** Deletes what the site that has gone just now left behind. */
const dropData = (context: Opened): Promise<void> =>
  runShown(context, dropSites(context.db), 'no page shows the data any more, and a server deletes the rest of it.');

export const siteReset = command({
  name: 'site reset',
  operands: { DOMAIN: String },
  flags: deletingFlags,
  summary: 'Delete all data of a site and keep its settings',
  database: 'change',
  run: async (context, { operands: { DOMAIN }, flags }) => {
    const { db } = context;
    const site = siteWithHits(db, DOMAIN, flags.account);
    await confirm(context, flags.yes, site, `every hit of ${site.domain}`);
    sites(db).reset(site.id);
    noteByCommand(db, context.now(), { accountId: site.accountId, action: 'site-reset', subject: site.domain });
    await dropData(context);
    await (await onCluster(context, flags))?.dropGoneSites();
    return { json: siteSummary(site), text: `Reset ${site.domain}: all its data is deleted.` };
  },
});

export const siteRemove = command({
  name: 'site remove',
  operands: { DOMAIN: String },
  flags: deletingFlags,
  summary: 'Delete a site and all its data',
  database: 'change',
  run: async (context, { operands: { DOMAIN }, flags }) => {
    const { db } = context;
    const site = siteWithHits(db, DOMAIN, flags.account);
    await confirm(context, flags.yes, site, `${site.domain} and all its hits`);
    sites(db).remove(site.id);
    noteByCommand(db, context.now(), { accountId: site.accountId, action: 'site-removed', subject: site.domain });
    await dropData(context);
    await (await onCluster(context, flags))?.dropGoneSites();
    return { json: siteSummary(site), text: `Removed ${site.domain} and all its data.` };
  },
});
