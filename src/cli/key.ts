/** `daybook key …`: API keys. Only a digest is kept, so a key is shown once. */
import { makeApiKey } from '../model/ids.ts';
import { nameOf, wholeOf } from '../model/values.ts';
import { accounts, apiKeys, defaultAccountName } from '../store/accounts/accounts.ts';
import { accountFlag, CommandError, command } from './command.ts';
import { formatTime, isoTime, listing } from './format.ts';
import { accountIdOf } from './lookup.ts';

export const keyAdd = command({
  name: 'key add',
  operands: { NAME: nameOf },
  flags: accountFlag,
  summary: 'Create an API key',
  details: 'The key reads every site of its account. It is shown only once: Daybook keeps a digest of it.',
  database: 'create',
  ofPrimary: true,
  run: ({ db, now, random }, { operands: { NAME: name }, flags }) => {
    const account = accounts(db).named(flags.account ?? defaultAccountName, now());
    const key = makeApiKey(random);
    const { id } = apiKeys(db).add(account.id, name, key, now());
    return {
      json: { id, name, key },
      text: `${key}\n\nThis is the key ${name} (id ${id}). Copy it now: it will not be shown again.`,
    };
  },
});

export const keyList = command({
  name: 'key list',
  flags: accountFlag,
  summary: 'List the API keys',
  database: 'open',
  run: ({ db }, { flags }) => {
    const keys = apiKeys(db)
      .list(accountIdOf(db, flags.account))
      .map(({ id, name, lastFour, accountId, createdAt, lastUsedAt }) => ({
        id,
        name,
        lastFour,
        account: accounts(db).byId(accountId)?.name ?? null,
        createdAt: isoTime(createdAt),
        lastUsedAt: isoTime(lastUsedAt),
      }));
    return listing(
      keys,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        KEY: ({ lastFour }) => `tk_live_…${lastFour}`,
        ACCOUNT: ({ account }) => account,
        CREATED: ({ createdAt }) => formatTime(createdAt),
        'LAST USED': ({ lastUsedAt }) => formatTime(lastUsedAt),
      },
      'There are no API keys yet.',
    );
  },
});

export const keyRevoke = command({
  name: 'key revoke',
  operands: { ID: (typed: string) => wholeOf(typed, 'ID') },
  summary: 'Revoke an API key, effective immediately',
  database: 'open',
  ofPrimary: true,
  run: ({ db }, { operands: { ID: id } }) => {
    if (!apiKeys(db).revoke(id)) throw new CommandError(`There is no key ${id}: daybook key list shows the ids.`);
    return { json: { id, revoked: true }, text: `Revoked key ${id}.` };
  },
});
