/** `daybook rollup …`: several sites of an account read as one. */
import { newRollup, withMembers } from '../model/new-site.ts';
import { isRollup, type Rollup, rollupSummary, type Site } from '../model/site.ts';
import { currencyOf, rollupNameOf, rollupSitesOf, timezoneOf, ValueError } from '../model/values.ts';
import { accounts } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { sites } from '../store/sites.ts';
import { type Command, CommandError, command, UsageError } from './command.ts';
import { accountFlag, listFlag, textFlag } from './flags.ts';
import { listing } from './format.ts';
import { accountIdOf, accountNamed, siteNamed } from './lookup.ts';

const sitesFlag = {
  site: listFlag('DOMAIN', 'A site that it reads; repeat it for each of them'),
};

const settingFlags = {
  timezone: textFlag('ZONE', 'IANA time zone of its days', timezoneOf),
  currency: textFlag('CODE', 'ISO 4217 code that its revenue is in', currencyOf),
};

const membersOf = (db: Database, accountId: number, typed: readonly string[]): Site[] => {
  try {
    return rollupSitesOf(sites(db).list(accountId))(typed);
  } catch (error) {
    throw error instanceof ValueError ? new CommandError(error.message) : error;
  }
};

const rollupNamed = (db: Database, typed: string, account: string | undefined): Rollup => {
  const found = siteNamed(db, typed, account);
  if (isRollup(found)) return found;
  throw new CommandError(`${found.domain} is a site, not a rollup.`);
};

/** The sites of a rollup that are still there. */
const sitesOf = (db: Database, { members, accountId }: Rollup): Site[] =>
  sites(db)
    .list(accountId)
    .filter(({ uuid }) => members.includes(uuid));

const rollupAdd = command({
  name: 'rollup add',
  operands: { NAME: rollupNameOf },
  flags: { ...sitesFlag, ...settingFlags, ...accountFlag },
  summary: 'Read several sites as one',
  details: `A rollup answers questions as a site does, wherever a site is, with the hits of its sites; visitors of several sites add up.
It takes no hits itself. Time zone and currency are those of the first site if not given.`,
  database: 'change',
  run: ({ db, now, random }, { operands: { NAME: domain }, flags: { site, account, timezone, currency } }) => {
    if (site === undefined) throw new UsageError('rollup add needs a --site for each of its sites.');
    const { id: accountId } = accountNamed(db, account);
    const members = membersOf(db, accountId, site);
    const settings = { ...(timezone !== undefined && { timezone }), ...(currency !== undefined && { currency }) };
    const given = { accountId, domain, ...settings };
    const rollup = sites(db).add(newRollup(given, members, now(), random)) as Rollup;
    return {
      json: rollupSummary(rollup, members),
      text: `Added ${domain}, which reads ${members.map(member => member.domain).join(', ')} as one.`,
    };
  },
});

const rollupSet = command({
  name: 'rollup set',
  operands: { NAME: String },
  flags: {
    ...sitesFlag,
    name: textFlag('NAME', 'A new name', rollupNameOf),
    ...accountFlag,
  },
  summary: 'Change a rollup',
  details:
    'The sites that are given replace those before. Its other settings are changed as those of a site: daybook site set.',
  database: 'change',
  run: ({ db }, { operands: { NAME }, flags: { site, account, name } }) => {
    if (site === undefined && name === undefined) throw new UsageError('rollup set needs --site or --name.');
    const before = rollupNamed(db, NAME, account);
    const members = site === undefined ? sitesOf(db, before) : membersOf(db, before.accountId, site);
    const rollup = withMembers({ ...before, domain: name ?? before.domain }, members);
    sites(db).set(rollup.id, rollup);
    return { json: rollupSummary(rollup, members), text: `Changed ${rollup.domain}.` };
  },
});

const rollupList = command({
  name: 'rollup list',
  flags: accountFlag,
  summary: 'List the rollups',
  run: ({ db }, { flags }) =>
    listing(
      sites(db)
        .list(accountIdOf(db, flags.account))
        .filter(isRollup)
        .map(rollup => ({
          ...rollupSummary(rollup, sitesOf(db, rollup)),
          account: accounts(db).byId(rollup.accountId)?.name,
          domains: sitesOf(db, rollup).map(({ domain }) => domain),
        })),
      {
        NAME: 'name',
        SITES: ({ domains }) => domains.join(' ') || null,
        ID: 'id',
        'TIME ZONE': 'timezone',
        CURRENCY: 'currency',
        ACCOUNT: ({ account }) => account ?? null,
      },
      'There are no rollups yet.',
    ),
});

const rollupRemove = command({
  name: 'rollup remove',
  operands: { NAME: String },
  flags: accountFlag,
  summary: 'Remove a rollup and keep its sites',
  database: 'change',
  run: ({ db }, { operands: { NAME }, flags: { account } }) => {
    const rollup = rollupNamed(db, NAME, account);
    sites(db).remove(rollup.id);
    return { json: rollupSummary(rollup, sitesOf(db, rollup)), text: `Removed ${rollup.domain}. Its sites stay.` };
  },
});

export const rollupCommands: readonly Command[] = [rollupAdd, rollupList, rollupSet, rollupRemove];
