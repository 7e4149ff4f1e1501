/**
 * `daybook site …`: sites and their settings. A running server sees a change at its very next hit.
 */
import { createInterface } from 'node:readline/promises';
import { baseUrlOf, type Environment, readSetting } from '../config.ts';
import { newSite } from '../model/new-site.ts';
import { hitSettings, isRollup, ownersSite, type Site, siteSummary } from '../model/site.ts';
import { siteSettings } from '../model/site-settings.ts';
import { trackingTag } from '../model/tracking-tag.ts';
import { domainOf, publicPartsOf, uuidOf } from '../model/values.ts';
import { accounts, defaultAccountName } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { dropSites } from '../store/maintenance/drop-sites.ts';
import { notes, noteZone } from '../store/notes.ts';
import { type SiteSettings, sites } from '../store/sites.ts';
import { noteByCommand } from './audit.ts';
import { CommandError, type CommandInput, type Context, command, UsageError } from './command.ts';
import { accountFlag, listFlag, switchFlag, textFlag } from './flags.ts';
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

const siteAdd = command({
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
  ${trackingTag(collector, site.publicKey)}`;

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

const siteList = command({
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
        DOMAIN: 'domain',
        'PUBLIC KEY': 'publicKey',
        ID: 'id',
        'TIME ZONE': 'timezone',
        CURRENCY: 'currency',
        MODE: 'identityMode',
        ACCOUNT: ({ account }) => account ?? null,
        ALIASES: ({ aliases }) => aliases.join(' ') || null,
        EXCLUDED: ({ excludedIps, excludedPaths, excludedCountries }) =>
          [...excludedIps, ...excludedPaths, ...excludedCountries].join(' ') || null,
      },
      'There are no sites yet.',
    ),
});

const siteSet = command({
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
};

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

/** Takes a site, or all its hits, away from pages, and then deletes what it left behind. */
const siteDeleter = (
  verb: 'reset' | 'remove',
  summary: string,
  what: (domain: string) => string,
  said: (domain: string) => string,
) =>
  command({
    name: `site ${verb}`,
    operands: { DOMAIN: String },
    flags: deletingFlags,
    summary,
    database: 'change',
    run: async (context, { operands: { DOMAIN }, flags }) => {
      const { db } = context;
      const site = siteWithHits(db, DOMAIN, flags.account);
      await confirm(context, flags.yes, site, what(site.domain));
      sites(db)[verb](site.id);
      const action = verb === 'reset' ? 'site-reset' : 'site-removed';
      noteByCommand(db, context.now(), { accountId: site.accountId, action, subject: site.domain });
      await runShown(context, dropSites(db), 'no page shows the data any more, and a server deletes the rest of it.');
      await (await onCluster(context, flags))?.dropGoneSites();
      return { json: siteSummary(site), text: said(site.domain) };
    },
  });

const siteReset = siteDeleter(
  'reset',
  'Delete all data of a site and keep its settings',
  domain => `every hit of ${domain}`,
  domain => `Reset ${domain}: all its data is deleted.`,
);
const siteRemove = siteDeleter(
  'remove',
  'Delete a site and all its data',
  domain => `${domain} and all its hits`,
  domain => `Removed ${domain} and all its data.`,
);

export const siteCommands = [siteAdd, siteList, siteSet, siteReset, siteRemove];
