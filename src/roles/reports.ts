/** Reports of a server that sends them: what makes and changes them, and what mails them. */
import type { Access } from '../api/api.ts';
import { type Config, mailOf } from '../config.ts';
import type { Log } from '../log.ts';
import type { Random } from '../model/ids.ts';
import type { ShareLink } from '../model/share.ts';
import type { Outbox } from '../outbox/sender.ts';
import { createDesk } from '../reports/desk.ts';
import { type DueReports, startDueReports } from '../reports/due-reports.ts';
import { type ChangerParts, createKeeper, type Keeper } from '../reports/keeper.ts';
import type { Database } from '../store/database.ts';
import type { Shares } from '../store/shares.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { type Stores, storesOf } from '../store/stores.ts';

export interface ReportWorld {
  db: Database;
  directory: SiteDirectory;
  access: Access;
  /** UTC milliseconds. */
  now: () => number;
  random: Random;
  log: Log;
}

/**
 * The link that says what of a site is shown to who is no member: the first that is open. Where
 * none is, the first of all: what a segment kept from them does not come with its end.
 */
export const shownToOthers =
  (links: Pick<Shares, 'ofSite'>, now: () => number) =>
  (siteId: number): ShareLink | undefined => {
    const all = links.ofSite(siteId);
    return all.find(({ password, expiresAt }) => password === null && (expiresAt ?? now() + 1) > now()) ?? all[0];
  };

/** `wake` has the outbox of a running server look at what is written. */
export const changerPartsOf = (
  config: Config,
  { db, now, random }: Pick<ReportWorld, 'db' | 'now' | 'random'>,
  wake: () => void,
): ChangerParts & Stores => ({
  ...{ ...storesOf(db), db, now, random, wake },
  origin: () => config.baseUrl ?? `http://${config.host}:${config.port}`,
  ...{ mailDomains: config.mailDomains, sendsMail: mailOf(config) !== null },
});

export const keeperOf = (config: Config, world: Omit<ReportWorld, 'log'>, wake: () => void) => {
  const parts = changerPartsOf(config, world, wake);
  const shareOf = shownToOthers(parts.shares, world.now);
  const of = { ...parts, desk: createDesk({ ...parts, access: world.access, shareOf }) };
  return { keeper: createKeeper(of), of };
};

/** Without a mail server reports are kept, and channels alone are told. */
export const reportsOf = (
  config: Config,
  world: ReportWorld,
  outbox: Pick<Outbox, 'wake'>,
): { keeper: Keeper; dueReports: DueReports } => {
  const { keeper, of } = keeperOf(config, world, outbox.wake);
  const { directory, log } = world;
  return { keeper, dueReports: startDueReports({ ...of, directory, log }) };
};
