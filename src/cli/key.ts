/** `daybook key …`: API keys. Only a digest is kept, so a key is shown once. */
import { makeApiKey } from '../model/ids.ts';
import { isScope, type KeyScope, scopeNames, usualScopes } from '../model/scopes.ts';
import { dayMs } from '../model/time.ts';
import { nameOf, wholeOf } from '../model/values.ts';
import { accounts, apiKeys, defaultAccountName } from '../store/accounts/accounts.ts';
import { noteByCommand } from './audit.ts';
import { CommandError, command, UsageError } from './command.ts';
import { accountFlag, listFlag, textFlag } from './flags.ts';
import { formatTime, isoTime, listing } from './format.ts';
import { accountIdOf, siteWithHits } from './lookup.ts';

const scopesOf = (typed: readonly string[]): KeyScope[] => {
  if (!typed.every(isScope)) throw new UsageError(`--scope is one of ${scopeNames.join(', ')}.`);
  return scopeNames.filter(name => typed.includes(name));
};

const expiresOf = (typed: string): number => {
  const [, days] = /^(\d{1,4})d$/.exec(typed) ?? [];
  if (days === undefined || days === '0') throw new UsageError('--expires needs days, such as 90d.');
  return Number(days);
};

const keyAdd = command({
  name: 'key add',
  operands: { NAME: nameOf },
  flags: {
    ...accountFlag,
    scope: listFlag(
      'SCOPE',
      `What it may do: ${scopeNames.join(', ')}; without it ${usualScopes.join(', ')}`,
      scopesOf,
    ),
    site: listFlag('DOMAIN', 'A site that it is for, and no others; all where none is given'),
    expires: textFlag('DAYS', 'When it ends, such as 90d; never without it', expiresOf),
  },
  summary: 'Create an API key',
  details: 'It is shown only once: Daybook keeps a digest of it.',
  database: 'create',
  run: ({ db, now, random }, { operands: { NAME: name }, flags }) => {
    const account = accounts(db).named(flags.account ?? defaultAccountName, now());
    const key = makeApiKey(random);
    const limits = {
      ...(flags.scope && { scopes: flags.scope }),
      ...(flags.site && { sites: flags.site.map(domain => siteWithHits(db, domain, account.name).uuid) }),
      ...(flags.expires !== undefined && { expiresAt: now() + flags.expires * dayMs }),
    };
    const { id } = apiKeys(db).add(account.id, name, key, now(), limits);
    noteByCommand(db, now(), { accountId: account.id, action: 'key-added', subject: name });
    return {
      json: { id, name, key },
      text: `${key}\n\nThis is the key ${name} (id ${id}). Copy it now: it will not be shown again.`,
    };
  },
});

const keyList = command({
  name: 'key list',
  flags: accountFlag,
  summary: 'List the API keys',
  run: ({ db }, { flags }) => {
    const keys = apiKeys(db)
      .list(accountIdOf(db, flags.account))
      .map(({ id, name, lastFour, accountId, createdAt, lastUsedAt, scopes, sites, expiresAt }) => ({
        id,
        name,
        lastFour,
        account: accounts(db).byId(accountId)?.name ?? null,
        createdAt: isoTime(createdAt),
        lastUsedAt: isoTime(lastUsedAt),
        ...{ scopes, sites, expiresAt: isoTime(expiresAt) },
      }));
    return listing(
      keys,
      {
        ID: 'id',
        NAME: 'name',
        KEY: ({ lastFour }) => `tk_live_…${lastFour}`,
        ACCOUNT: 'account',
        CREATED: ({ createdAt }) => formatTime(createdAt),
        'LAST USED': ({ lastUsedAt }) => formatTime(lastUsedAt),
        MAY: ({ scopes, sites }) => `${scopes.join(', ')}${sites === null ? '' : ` (${sites.length} sites)`}`,
        EXPIRES: ({ expiresAt }) => formatTime(expiresAt),
      },
      'There are no API keys yet.',
    );
  },
});

const keyRevoke = command({
  name: 'key revoke',
  operands: { ID: (typed: string) => wholeOf(typed, 'ID') },
  summary: 'Revoke an API key, effective immediately',
  database: 'change',
  run: ({ db, now }, { operands: { ID: id } }) => {
    const key = apiKeys(db)
      .list()
      .find(each => each.id === id);
    if (key === undefined) throw new CommandError(`There is no key ${id}: daybook key list shows the ids.`);
    apiKeys(db).revoke(id);
    noteByCommand(db, now(), { accountId: key.accountId, action: 'key-revoked', subject: key.name });
    return { json: { id, revoked: true }, text: `Revoked key ${id}.` };
  },
});

export const keyCommands = [keyAdd, keyList, keyRevoke];
