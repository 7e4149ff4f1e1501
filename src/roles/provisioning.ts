/**
 * Keeps a server as its file of settings says: at its start, on SIGHUP and when the file changes.
 */
import type { SettingsApplier } from '../api/settings-applier.ts';
import { type Config, mailOf, oidcOf, oidcSaidElsewhere, SettingError } from '../config.ts';
import { createPasswords } from '../dashboard/passwords.ts';
import type { Log } from '../log.ts';
import type { OidcSettings } from '../model/oidc.ts';
import { ValueError } from '../model/values.ts';
import { createSettingsApplier } from '../provision/from-request.ts';
import { BadFile, type Provisioning, provision, textOfFile } from '../provision/provision.ts';
import { createReportChanger } from '../reports/keeper.ts';
import type { Database } from '../store/database.ts';
import { provisioned } from '../store/provisioned.ts';
import type { SiteDirectory } from '../store/sites.ts';
import type { ServerOptions } from './listen.ts';
import { changerPartsOf } from './reports.ts';

type ServerWorld = Pick<ServerOptions, 'now' | 'random' | 'env' | 'passwordCost'> & { db: Database; config: Config };

/** What a file is applied with on this server. */
export const provisioningOf = (world: ServerWorld): Omit<Provisioning, 'file'> => {
  const { db, config, env = {}, now, random, passwordCost } = world;
  return {
    ...{ db, env, now, random, passwords: createPasswords(random, passwordCost) },
    sendsMail: mailOf(config) !== null,
    oidcOf(texts) {
      try {
        return oidcSaidElsewhere(texts, config);
      } catch (error) {
        throw error instanceof SettingError ? new ValueError(error.message) : error;
      }
    },
    // Messages wait in the outbox, which a running server looks at by itself.
    reports: createReportChanger(changerPartsOf(config, world, () => {})),
  };
};

/** What applies settings that a body holds. */
export const settingsApplierOf = (
  world: ServerWorld,
  changes: Parameters<typeof createSettingsApplier>[1],
): SettingsApplier => createSettingsApplier(provisioningOf(world), changes);

/**
 * Applies the file before the server takes anything, and gives the provider that people sign in
 * with. Throws BadFile. Without a file, what an earlier one set belongs to people again.
 */
export const provisionAtStart = async (world: ServerWorld): Promise<OidcSettings | null> => {
  const { db, config } = world;
  const { provision: file } = config;
  if (file !== null) return (await provision({ ...provisioningOf(world), file })).oidc ?? oidcOf(config);
  if (provisioned(db).list().length > 0) provisioned(db).replace([]);
  return oidcOf(config);
};

/** So long a file must stay the same before it is applied, since editors write in pieces. */
const settleMs = 2000;

/**
 * Applies the file again when it changes, and when `onHangup` says so. A file that cannot be used
 * changes nothing. Gives what ends it.
 */
export const keepProvisioned = (
  world: ServerWorld &
    Pick<ServerOptions, 'onHangup'> & {
      directory: SiteDirectory;
      log: Log;
      dropRows: () => void;
      /** The provider since the start. */
      oidc: OidcSettings | null;
    },
): { close(): Promise<void> } => {
  const { config, directory, log, dropRows, onHangup } = world;
  const { provision: file } = config;
  if (file === null) return { close: async () => {} };
  const parts = provisioningOf(world);
  const read = (): string => {
    try {
      return textOfFile(file);
    } catch {
      return '';
    }
  };
  let [applied, last] = [read(), read()];
  let work = Promise.resolve();
  const apply = async (): Promise<void> => {
    applied = read();
    try {
      const { changes, oidc } = await provision({ ...parts, file });
      if (JSON.stringify(oidc ?? oidcOf(config)) !== JSON.stringify(world.oidc))
        log('provision-restart', { of: 'oidc' });
      if (changes.length === 0) return;
      directory.reload();
      dropRows();
      log('provisioned', { changes: changes.length });
    } catch (error) {
      if (!(error instanceof BadFile)) throw error;
      log('provision-failed', { reason: error.message });
    }
  };
  const again = (): void => {
    work = work.then(apply).catch(error => log('provision-failed', { reason: String(error) }));
  };
  const timer = setInterval(() => {
    const now = read();
    if (now === last && now !== applied) again();
    last = now;
  }, settleMs).unref();
  onHangup?.(again);
  return {
    async close() {
      clearInterval(timer);
      await work;
    },
  };
};
