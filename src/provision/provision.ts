/** Applies a file of settings to a database. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ReportChanger } from '../api/report-keeper.ts';
import type { SettingsChange } from '../api/settings-applier.ts';
import type { Random } from '../model/ids.ts';
import type { OidcSettings } from '../model/oidc.ts';
import { auditStore } from '../store/accounts/audit.ts';
import { type Database, StoreError } from '../store/database.ts';
import { storesOf } from '../store/stores.ts';
import { applySettings, FileFault } from './apply.ts';
import { type PasswordRecords, recordPasswords } from './passwords.ts';
import { providerIn, type SettingTexts } from './provider.ts';
import { type Fault, fileLimits, type Outside, outsideOf, readSettingsFile } from './read-file.ts';

/** The file cannot be used; nothing was changed. The message has a line for each fault. */
export class BadFile extends StoreError {
  readonly faults: readonly Fault[];

  constructor(file: string, faults: readonly Fault[]) {
    const shown = faults.slice(0, faultsShown).map(at => `${file}:${at.line}:${at.column}: ${at.sentence}`);
    const more = faults.length - shown.length;
    super([...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join('\n'));
    this.faults = faults;
  }
}
const faultsShown = 100;

/** What settings are applied with. */
export interface ProvisioningParts {
  db: Database;
  now: () => number;
  random: Random;
  /** Whether a mail server is set. */
  sendsMail: boolean;
  /** What makes reports. */
  reports: ReportChanger;
  passwords: PasswordRecords;
}

export interface Provisioning extends ProvisioningParts {
  /** Path of the file. */
  file: string;
  env: Outside['env'];
  /** The provider that settings say. Throws ValueError. */
  oidcOf: (texts: SettingTexts) => OidcSettings;
  isDry?: boolean;
}

/** The text of the file. Throws BadFile. */
export const textOfFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new BadFile(file, [{ line: 1, column: 1, sentence: `It cannot be read: ${(error as Error).message}.` }]);
  }
};

/** What changes are made with. */
const theFile = { id: null, name: 'file' };
export const worldOf = ({ db, now, random, sendsMail, reports }: ProvisioningParts) => ({
  ...storesOf(db),
  ...{ db, now, random, sendsMail, reports, maker: () => theFile },
});

/** What a file did. */
export interface AppliedFile {
  changes: SettingsChange[];
  /** The provider that it names for the next start. */
  oidc: OidcSettings | null;
}

/** Checks the file whole, then makes what it wants, or only tries to. Throws BadFile. */
export const provision = async (given: Provisioning): Promise<AppliedFile> => {
  const { db, file, env, now, passwords, oidcOf, isDry = false } = given;
  const read = await readSettingsFile(textOfFile(file), outsideOf(env), fileLimits);
  if ('faults' in read) throw new BadFile(file, read.faults);
  const world = worldOf(given);
  try {
    const oidc = providerIn(read.wanted, oidcOf);
    const passwordRecords = await recordPasswords(world, read.wanted, passwords, fileLimits.passwords);
    const changes = applySettings({ ...world, passwordRecords, isDry, file: basename(file) }, read.wanted);
    if (changes.length > 0 && !isDry) noteChanges(db, now(), basename(file), changes);
    return { changes, oidc };
  } catch (error) {
    throw error instanceof FileFault ? new BadFile(file, [error.fault]) : error;
  }
};

const pathsNoted = 100;
/** What gives access comes first, so that no number of other things hides it. */
export const notedChanges = (changes: readonly SettingsChange[]): { changes: string[] } => {
  const [access, others] = [true, false].map(gives =>
    changes.filter(({ path }) => / \/ (members|keys|channels|shares) /.test(path) === gives),
  );
  return { changes: [...access!, ...others!].slice(0, pathsNoted).map(({ action, path }) => `${action} ${path}`) };
};
const noteChanges = (db: Database, at: number, subject: string, changes: readonly SettingsChange[]): void => {
  const by = { at, accountId: null, personId: null, actor: 'file', network: '' };
  auditStore(db).add({ ...by, action: 'provisioned', subject, details: notedChanges(changes) });
};

/** A diff as people read it, a line for each change. */
export const diffText = (changes: readonly SettingsChange[]): string =>
  changes
    .map(({ action, path, fields }) => {
      const values = Object.entries(fields).map(([name, [was, is]]) =>
        action === 'add' ? `${name}: ${JSON.stringify(is)}` : `${name}: ${JSON.stringify(was)} → ${JSON.stringify(is)}`,
      );
      return [`${signs[action]} ${path}`, ...values.map(value => `    ${value}`)].join('\n');
    })
    .join('\n');
const signs = { add: '+', change: '~', remove: '-' } as const;
