/** How servers of `daybook collect` and `daybook answer` open their database and follow. */
import { type Following, followPrimary } from '../cluster/follow.ts';
import { type Config, SettingError } from '../config.ts';
import type { Role } from '../store/control.ts';
import { type Database, lockDataDir } from '../store/database.ts';
import { openStore } from '../store/moved-hits/put-back.ts';
import { type SiteDirectory, siteDirectory } from '../store/sites.ts';
import type { ServerOptions } from './listen.ts';

export interface FollowerParts {
  db: Database;
  directory: SiteDirectory;
  following: Following;
  /** Keeps sites as the primary has them; the primary is told `stats`. */
  start(stats: () => Record<string, unknown>): void;
  /** Stops following. */
  stop(): Promise<void>;
  /** Closes the database. */
  close(): void;
}

/** Throws SettingError where a setting is missing that says whom to follow. */
export const requirePrimary = ({ primary, clusterToken }: Config): { primaryUrl: string; token: string } => {
  if (primary === null) throw new SettingError('PRIMARY is missing: say where the primary is with --primary URL.');
  if (clusterToken === null)
    throw new SettingError('CLUSTER_TOKEN is missing: daybook cluster invite makes one on the primary.');
  return { primaryUrl: primary, token: clusterToken };
};

/** Resolves when the sites are known. Throws what `followPrimary` does, and SettingError. */
export const openFollower = async (options: ServerOptions, role: Role): Promise<FollowerParts> => {
  const { config, now, random, log, signal } = options;
  const primary = requirePrimary(config);
  const unlock = lockDataDir(config.dataDir);
  const db = openStore(config.dataDir);
  const close = (): void => {
    db.close();
    unlock();
  };
  try {
    const following = await followPrimary({ ...primary, db, role, now, random, log, signal });
    const directory = siteDirectory(db);
    return {
      ...{ db, directory, following, close },
      start: stats => following.start(directory.reload, stats),
      stop: following.close,
    };
  } catch (error) {
    close();
    throw error;
  }
};
