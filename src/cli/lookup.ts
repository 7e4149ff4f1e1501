/** Finds the site or account that a command names. */
import { suggestion } from '../model/nearest.ts';
import { type Account, isRollup, type Site } from '../model/site.ts';
import { domainOf } from '../model/values.ts';
import { accounts, defaultAccountName } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { sites } from '../store/sites.ts';
import { CommandError } from './command.ts';

/** The account of a name, or the usual one. Throws CommandError when there is none. */
export const accountNamed = (db: Database, name = defaultAccountName): Account => {
  const all = accounts(db).list();
  const found = all.find(account => account.name === name);
  if (found !== undefined) return found;
  const names = all.map(account => account.name);
  throw new CommandError(`There is no account ${name}.${suggestion(name, names)}`);
};

/** The id of the account of that name, or undefined for all of them. */
export const accountIdOf = (db: Database, name: string | undefined): number | undefined =>
  name === undefined ? undefined : accountNamed(db, name).id;

/** The site that has this id in the database. */
export const siteWithId = (db: Database, siteId: number): Site | undefined =>
  sites(db)
    .list()
    .find(({ id }) => id === siteId);

/** As `siteNamed`, for commands about hits, which a rollup has none of. */
export const siteWithHits = (db: Database, typed: string, accountName: string | undefined): Site => {
  const site = siteNamed(db, typed, accountName);
  if (isRollup(site))
    throw new CommandError(`${site.domain} is a rollup and has no hits of its own: name one of its sites.`);
  return site;
};

/**
 * The site of a domain, id, public key or alias, or the rollup of a name, in the named account or
 * else in any. Throws CommandError unless there is exactly one.
 */
export const siteNamed = (db: Database, typed: string, accountName: string | undefined): Site => {
  const all = sites(db).list(accountIdOf(db, accountName));
  const name = typed.toLowerCase();
  const named = all.find(site => site.publicKey === typed || site.uuid === name || site.aliases.includes(name));
  if (named !== undefined) return named;
  const isRollupNamed = all.some(site => isRollup(site) && site.domain === typed.trim());
  const domain = isRollupNamed ? typed.trim() : domainOf(typed);
  const [found, ...others] = all.filter(site => site.domain === domain);
  const domains = all.map(site => site.domain);
  if (found === undefined) throw new CommandError(`There is no site ${domain}.${suggestion(domain, domains)}`);
  if (others.length === 0) return found;
  const names = [found, ...others].map(site => accounts(db).byId(site.accountId)?.name);
  throw new CommandError(
    `There is a site ${domain} in each of the accounts ${names.join(', ')}: say which with --account.`,
  );
};
