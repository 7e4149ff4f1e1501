/** `daybook share …`: links to public pages of sites. */
import { readFileSync } from 'node:fs';
import { expiryOf, shareSegmentOf } from '../api/changes/share-changes.ts';
import { baseUrlOf, type Environment } from '../config.ts';
import { createPasswords } from '../dashboard/passwords.ts';
import { makeToken } from '../model/ids.ts';
import { type PublicPart, publicPartNames } from '../model/public-parts.ts';
import { newShare, publicShareName, type ShareLink, type ShareSettings } from '../model/share.ts';
import type { Site } from '../model/site.ts';
import { nameOf, passwordOf, publicPartsOf } from '../model/values.ts';
import type { Database } from '../store/database.ts';
import { definitions } from '../store/definitions.ts';
import { shares } from '../store/shares.ts';
import { noteByCommand } from './audit.ts';
import { type Command, CommandError, type CommandInput, type Context, command, UsageError } from './command.ts';
import { accountFlag, listFlag, switchFlag, textFlag } from './flags.ts';
import { formatTime, isoTime, listing } from './format.ts';
import { siteNamed } from './lookup.ts';

const shareFlags = {
  part: listFlag(
    'PART',
    `What it shows besides the numbers: ${publicPartNames.join(', ')} (default: none)`,
    publicPartsOf,
  ),
  segment: textFlag('NAME', 'A segment of the site that all its numbers are of (default: none)'),
  expires: textFlag('DAY', 'Its last day, by the site’s clock, such as 2026-12-31'),
  'password-file': textFlag('FILE', 'A file whose first line is the password that it asks for'),
  ...accountFlag,
};

type ShareFlags = CommandInput<typeof shareFlags>['flags'];

type World = { db: Database } & Pick<Context, 'now' | 'random'>;

/** What was given of a link; an empty text takes something away. */
const settingsOf = async (
  { db, now, random }: World,
  site: Site,
  { part, segment, expires, 'password-file': file }: ShareFlags,
): Promise<Partial<ShareSettings>> => {
  return {
    ...(part !== undefined && { parts: part }),
    ...(segment !== undefined && { segment: shareSegmentOf(definitions(db), site, segment) }),
    ...(expires !== undefined && { expiresAt: expiryOf(expires, site, now()) }),
    ...(file !== undefined && {
      password: file === '' ? null : await createPasswords(random).record(passwordIn(file)),
    }),
  };
};

const passwordIn = (file: string): string => {
  try {
    return passwordOf(readFileSync(file, 'utf8').split(/\r?\n/)[0]!);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new CommandError(`The file ${file} cannot be read: ${error.code}.`);
  }
};

const shareNamed = (db: Database, site: Site, name: string): ShareLink => {
  const found = shares(db)
    .ofSite(site.id)
    .find(share => share.name === name);
  if (found === undefined) throw new CommandError(`There is no link ${name} of ${site.domain}.`);
  return found;
};

const urlOf = ({ token }: ShareLink, env: Environment): string => `${baseUrlOf(env, {})}/share/${token}`;

const noteShare = (
  { db, now }: Pick<World, 'db' | 'now'>,
  site: Site,
  link: string,
  action: 'shared' | 'unshared' = 'shared',
): void => noteByCommand(db, now(), { accountId: site.accountId, action, subject: site.domain, details: { link } });

/** The answer of a command that changed a link. */
const shown = (db: Database, site: Site, name: string, env: Environment) => {
  const share = shareNamed(db, site, name);
  return { json: listed(share, env), text: urlOf(share, env) };
};

const listed = (share: ShareLink, env: Environment) => {
  const { name, parts, segment, password, expiresAt, createdAt, lastUsedAt } = share;
  return {
    ...{ name, url: urlOf(share, env), parts, segment, hasPassword: password !== null },
    ...{ expiresAt: isoTime(expiresAt), createdAt: isoTime(createdAt), lastUsedAt: isoTime(lastUsedAt) },
  };
};

const operands = { DOMAIN: String, NAME: nameOf };

const shareAdd = command({
  name: 'share add',
  operands,
  flags: shareFlags,
  summary: 'Make a link to a public page of a site',
  details: 'Whoever has its address sees the numbers, and no single visits. It prints the address.',
  database: 'change',
  run: async ({ db, now, random, env }, { operands: { DOMAIN, NAME: name }, flags }) => {
    const site = siteNamed(db, DOMAIN, flags.account);
    const settings = { ...newShare, name, ...(await settingsOf({ db, now, random }, site, flags)) };
    shares(db).add(site.id, makeToken(random), settings, now());
    noteShare({ db, now }, site, name);
    return shown(db, site, name, env);
  },
});

const shareSet = command({
  name: 'share set',
  operands,
  flags: {
    ...shareFlags,
    name: textFlag('NAME', 'A new name', nameOf),
    'new-address': switchFlag('Give it a new address: the old one stops working at once'),
  },
  summary: 'Change what a link to a public page shows, and to whom',
  details: 'A list replaces the one before it. An empty value takes something away: --part "", --password-file "".',
  database: 'change',
  run: async ({ db, now, random, env }, { operands: { DOMAIN, NAME }, flags }) => {
    const site = siteNamed(db, DOMAIN, flags.account);
    const name = flags.name ?? NAME;
    const given = { ...(await settingsOf({ db, now, random }, site, flags)), ...(flags.name && { name }) };
    if (Object.keys(given).length === 0 && !flags['new-address'])
      throw new UsageError('share set needs at least one setting to change.');
    const share = shareNamed(db, site, NAME);
    shares(db).set(share.id, { ...share, ...given });
    if (flags['new-address']) shares(db).setToken(share.id, makeToken(random));
    noteShare({ db, now }, site, name);
    return shown(db, site, name, env);
  },
});

const shareList = command({
  name: 'share list',
  operands: { DOMAIN: String },
  flags: accountFlag,
  summary: 'List the links to public pages of a site',
  run: ({ db, env }, { operands: { DOMAIN }, flags }) => {
    const site = siteNamed(db, DOMAIN, flags.account);
    return listing(
      shares(db)
        .ofSite(site.id)
        .map(share => listed(share, env)),
      {
        NAME: 'name',
        ADDRESS: 'url',
        SHOWS: ({ parts }) => parts.join(', ') || null,
        SEGMENT: 'segment',
        PASSWORD: ({ hasPassword }) => (hasPassword ? 'yes' : null),
        EXPIRES: ({ expiresAt }) => formatTime(expiresAt),
        'LAST USED': ({ lastUsedAt }) => formatTime(lastUsedAt),
      },
      `${site.domain} has no public page.`,
    );
  },
});

const shareRemove = command({
  name: 'share remove',
  operands,
  flags: accountFlag,
  summary: 'Remove a link to a public page, effective immediately',
  database: 'change',
  run: ({ db, now }, { operands: { DOMAIN, NAME: name }, flags }) => {
    const site = siteNamed(db, DOMAIN, flags.account);
    shares(db).remove(shareNamed(db, site, name).id);
    noteShare({ db, now }, site, name, 'unshared');
    return { json: { site: site.domain, name, removed: true }, text: `Removed the link ${name} of ${site.domain}.` };
  },
});

/** What `site add` and `site set` do of a site's one public page of earlier versions. */
export const sharePublic = ({ db, now, random }: World, site: Site, parts: PublicPart[] | undefined): void => {
  const all = shares(db);
  const found = all.ofSite(site.id).find(({ name }) => name === publicShareName);
  if (parts === undefined || (found === undefined && parts.length === 0)) return;
  if (found !== undefined) all.set(found.id, { ...found, parts });
  else all.add(site.id, makeToken(random), { ...newShare, name: publicShareName, parts }, now());
  noteShare({ db, now }, site, publicShareName);
};

export const shareCommands: readonly Command[] = [shareAdd, shareList, shareSet, shareRemove];
