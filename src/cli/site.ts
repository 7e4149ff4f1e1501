/** `daybook site …`: sites and their settings. A running server sees a change at its very next hit. */
import { createInterface } from 'node:readline/promises';
import { type Environment, readSetting } from '../config.ts';
import { makePublicKey, makeUuid } from '../model/ids.ts';
import { type Site, siteSummary } from '../model/site.ts';
import {
  currencyOf,
  domainOf,
  excludedIpsOf,
  excludedPathsOf,
  identityModeOf,
  timezoneOf,
  uuidOf,
} from '../model/values.ts';
import { accounts, defaultAccountName } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { dropSites } from '../store/maintenance/drop-sites.ts';
import { type SiteSettings, sites } from '../store/sites.ts';
import {
  accountFlag,
  CommandError,
  type Context,
  command,
  type Flags,
  type Input,
  jsonFlag,
  UsageError,
} from './command.ts';
import { accountNamed, siteNamed, withDatabase, withExistingDatabase } from './open.ts';
import { print, table } from './print.ts';
import { runSteps } from './steps.ts';

const settingFlags = {
  timezone: { kind: 'text', value: 'ZONE', meaning: 'IANA time zone of its days, like Europe/Berlin (UTC)' },
  currency: { kind: 'text', value: 'CODE', meaning: 'ISO 4217 code that its revenue is given in (USD)' },
  'identity-mode': { kind: 'text', value: 'MODE', meaning: 'hash or cookie: how browsers are told apart (hash)' },
  'exclude-ip': { kind: 'list', value: 'RANGE', meaning: 'Address or CIDR range whose hits are ignored' },
  'exclude-path': { kind: 'list', value: 'GLOB', meaning: 'Path whose hits are ignored; * is one segment, ** any' },
} as const satisfies Flags;

/** The settings that were given, read and checked. */
const settingsOf = (flags: Input<typeof settingFlags>['flags']): Partial<SiteSettings> => ({
  ...(flags.timezone !== undefined && { timezone: timezoneOf(flags.timezone) }),
  ...(flags.currency !== undefined && { currency: currencyOf(flags.currency) }),
  ...(flags['identity-mode'] !== undefined && { identityMode: identityModeOf(flags['identity-mode']) }),
  ...(flags['exclude-ip'] !== undefined && { excludedIps: excludedIpsOf(flags['exclude-ip']) }),
  ...(flags['exclude-path'] !== undefined && { excludedPaths: excludedPathsOf(flags['exclude-path']) }),
});

export const siteAdd = command({
  name: 'site add',
  operands: ['DOMAIN'],
  flags: {
    ...settingFlags,
    id: { kind: 'text', value: 'UUID', meaning: 'Its id, where it must be a certain one' },
    ...accountFlag,
    ...jsonFlag,
  },
  summary: 'Add a site',
  details: 'A domain is kept in lower case, without scheme, port and path. The public key goes into the tracker tag.',
  run: (context, { operands: [domain], flags }) => {
    const settings = settingsOf(flags);
    const uuid = flags.id === undefined ? makeUuid(context.random) : uuidOf(flags.id);
    const normalDomain = domainOf(domain);
    return withDatabase(context, flags, db => {
      const site = sites(db).add({
        accountId: accounts(db).named(flags.account ?? defaultAccountName, context.now()).id,
        uuid,
        publicKey: makePublicKey(context.random),
        domain: normalDomain,
        timezone: 'UTC',
        currency: 'USD',
        identityMode: 'hash',
        excludedIps: [],
        excludedPaths: [],
        ...settings,
        createdAt: context.now(),
      });
      print(context, flags.json, siteSummary(site), addedText(site, collectorOf(context.env)));
    });
  },
});

const addedText = (site: Site, collector: string): string => `Added ${site.domain}.
  id          ${site.uuid}
  public key  ${site.publicKey}

This belongs into the head of every page:
  <script defer src="${collector}/t.js" data-site="${site.publicKey}"></script>`;

/** Where browsers reach the collector, as far as the settings of this command tell. */
const collectorOf = (env: Environment): string => {
  const url = readSetting('collectorUrl', env, {});
  if (url !== null) return url;
  const [host, own] = [readSetting('host', env, {}), readSetting('collectorPort', env, {})];
  if (own !== null) return `http://${host}:${own}`;
  return readSetting('baseUrl', env, {}) ?? `http://${host}:${readSetting('port', env, {})}`;
};

/** A site as the listing shows it. */
const listed = (db: Database, site: Site) => ({
  ...siteSummary(site),
  account: accounts(db).byId(site.accountId)?.name,
  excludedIps: site.excludedIps,
  excludedPaths: site.excludedPaths,
});

export const siteList = command({
  name: 'site list',
  operands: [],
  flags: { ...accountFlag, ...jsonFlag },
  summary: 'List the sites',
  run: (context, { flags }) =>
    withExistingDatabase(context, flags, db => {
      const rows = sites(db)
        .list(accountNamed(db, flags.account)?.id)
        .map(site => listed(db, site));
      const text = table(
        ['DOMAIN', 'PUBLIC KEY', 'ID', 'TIME ZONE', 'CURRENCY', 'MODE', 'ACCOUNT', 'EXCLUDED'],
        rows.map(row => [
          row.domain,
          row.publicKey,
          row.id,
          row.timezone,
          row.currency,
          row.identityMode,
          row.account ?? null,
          [...row.excludedIps, ...row.excludedPaths].join(' ') || null,
        ]),
      );
      print(context, flags.json, rows, rows.length === 0 ? 'There are no sites yet.' : text);
    }),
});

export const siteSet = command({
  name: 'site set',
  operands: ['DOMAIN'],
  flags: {
    ...settingFlags,
    domain: { kind: 'text', value: 'DOMAIN', meaning: 'A new domain' },
    ...accountFlag,
    ...jsonFlag,
  },
  summary: 'Change settings of a site',
  details: 'A list takes the place of the one before it; an empty value (--exclude-ip "") clears it.',
  run: (context, { operands: [domain], flags }) => {
    const changes = { ...settingsOf(flags), ...(flags.domain !== undefined && { domain: domainOf(flags.domain) }) };
    if (Object.keys(changes).length === 0) throw new UsageError('site set needs at least one setting to change.');
    return withExistingDatabase(context, flags, db => {
      const site = { ...siteNamed(db, domain, flags.account), ...changes };
      sites(db).set(site.id, site);
      print(context, flags.json, listed(db, site), `Changed ${site.domain}.`);
    });
  },
});

const yesFlag = { yes: { kind: 'switch', meaning: 'Do not ask' } } as const satisfies Flags;

/** On a terminal, deleting wants `--yes` or the domain typed once more; a script is taken at its word. */
const confirm = async (context: Context, yes: boolean, site: Site, what: string): Promise<void> => {
  if (yes || !context.isTerminal.stdin) return;
  context.stderr.write(`This ${what}, for good. Type ${site.domain} to go on: `);
  const answers = createInterface({ input: context.stdin, signal: context.signal });
  try {
    for await (const answer of answers) {
      if (answer.trim() === site.domain) return;
      break;
    }
  } finally {
    answers.close();
  }
  throw new CommandError(`Nothing was changed: that was not ${site.domain}.`);
};

/** Deletes what the site has left behind, before the command says that it is done. */
const dropRows = (db: Database): Promise<void> => runSteps(dropSites(db));

export const siteReset = command({
  name: 'site reset',
  operands: ['DOMAIN'],
  flags: { ...yesFlag, ...accountFlag, ...jsonFlag },
  summary: 'Delete all data of a site and keep its settings',
  run: (context, { operands: [domain], flags }) =>
    withExistingDatabase(context, flags, async db => {
      const site = siteNamed(db, domain, flags.account);
      await confirm(context, flags.yes, site, `deletes every hit of ${site.domain}`);
      sites(db).reset(site.id);
      await dropRows(db);
      print(context, flags.json, siteSummary(site), `Reset ${site.domain}: all its data is deleted.`);
    }),
});

export const siteRemove = command({
  name: 'site remove',
  operands: ['DOMAIN'],
  flags: { ...yesFlag, ...accountFlag, ...jsonFlag },
  summary: 'Delete a site and all its data',
  run: (context, { operands: [domain], flags }) =>
    withExistingDatabase(context, flags, async db => {
      const site = siteNamed(db, domain, flags.account);
      await confirm(context, flags.yes, site, `deletes ${site.domain} and every hit of it`);
      sites(db).remove(site.id);
      await dropRows(db);
      print(context, flags.json, siteSummary(site), `Removed ${site.domain} and all its data.`);
    }),
});
