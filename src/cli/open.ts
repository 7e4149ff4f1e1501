/** Opens what commands work on, and finds the site or account they name. */
import { type GivenFlags, readSetting } from '../config.ts';
import { suggestion } from '../model/nearest.ts';
import type { Account, Site } from '../model/site.ts';
import { domainOf } from '../model/values.ts';
import { accounts } from '../store/accounts/accounts.ts';
import { type Database, databaseExists, openDatabase } from '../store/database.ts';
import { sites } from '../store/sites.ts';
import { CommandError, type Context } from './command.ts';

export const dataDirOf = (context: Context, flags: GivenFlags): string => readSetting('dataDir', context.env, flags);

/** Hands over the database, made when it is missing, and closes it in every case. */
export const withDatabase = async <T>(
  context: Context,
  flags: GivenFlags,
  work: (db: Database) => T | Promise<T>,
): Promise<T> => {
  const db = openDatabase(dataDirOf(context, flags));
  try {
    return await work(db);
  } finally {
    db.close();
  }
};

/** As withDatabase, for commands that make no sense without data: a mistyped directory is named and not filled with an empty database. */
export const withExistingDatabase = <T>(
  context: Context,
  flags: GivenFlags,
  work: (db: Database) => T | Promise<T>,
): Promise<T> => {
  requireDatabase(dataDirOf(context, flags));
  return withDatabase(context, flags, work);
};

/** Throws CommandError where there is no database yet. */
export const requireDatabase = (dataDir: string): void => {
  if (!databaseExists(dataDir)) {
    throw new CommandError(
      `There is no database in ${dataDir} yet: daybook site add DOMAIN makes one, --data names another directory.`,
    );
  }
};

/** The account of that name, or undefined for all of them. */
export const accountNamed = (db: Database, name: string | undefined): Account | undefined => {
  if (name === undefined) return undefined;
  const all = accounts(db).list();
  const found = all.find(account => account.name === name);
  if (found !== undefined) return found;
  throw new CommandError(
    `There is no account ${name}.${suggestion(
      name,
      all.map(account => account.name),
    )}`,
  );
};

/** The site of a domain, id or public key, in the named account or else in any. Throws CommandError when it is none or more than one. */
export const siteNamed = (db: Database, typed: string, accountName: string | undefined): Site => {
  const all = sites(db).list(accountNamed(db, accountName)?.id);
  const named = all.find(site => site.publicKey === typed || site.uuid === typed.toLowerCase());
  if (named !== undefined) return named;
  const domain = domainOf(typed);
  const [found, ...others] = all.filter(site => site.domain === domain);
  if (found === undefined)
    throw new CommandError(
      `There is no site ${domain}.${suggestion(
        domain,
        all.map(site => site.domain),
      )}`,
    );
  if (others.length === 0) return found;
  const names = [found, ...others].map(site => accounts(db).byId(site.accountId)?.name);
  throw new CommandError(
    `There is a site ${domain} in each of the accounts ${names.join(', ')}: say which with --account.`,
  );
};
