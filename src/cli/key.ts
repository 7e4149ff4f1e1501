/** `daybook key …`: API keys. Only a digest is kept, so a key is shown once. */
import { makeApiKey } from '../model/ids.ts';
import { nameOf, wholeOf } from '../model/values.ts';
import { accounts, apiKeys, defaultAccountName } from '../store/accounts/accounts.ts';
import { accountFlag, CommandError, command, jsonFlag } from './command.ts';
import { accountNamed, withDatabase, withExistingDatabase } from './open.ts';
import { formatTime, isoTime, print, table } from './print.ts';

export const keyAdd = command({
  name: 'key add',
  operands: ['NAME'],
  flags: { ...accountFlag, ...jsonFlag },
  summary: 'Make an API key',
  details: 'The key reads every site of its account. It is shown this once: only a digest of it is kept.',
  run: (context, { operands: [typed], flags }) => {
    const name = nameOf(typed);
    return withDatabase(context, flags, db => {
      const account = accounts(db).named(flags.account ?? defaultAccountName, context.now());
      const key = makeApiKey(context.random);
      const { id } = apiKeys(db).add(account.id, name, key, context.now());
      print(
        context,
        flags.json,
        { id, name, key },
        `${key}\n\nThis is the key ${name} (id ${id}). It is shown only now.`,
      );
    });
  },
});

export const keyList = command({
  name: 'key list',
  operands: [],
  flags: { ...accountFlag, ...jsonFlag },
  summary: 'List the API keys',
  run: (context, { flags }) =>
    withExistingDatabase(context, flags, db => {
      const keys = apiKeys(db)
        .list(accountNamed(db, flags.account)?.id)
        .map(key => ({ ...key, account: accounts(db).byId(key.accountId)?.name ?? null }));
      const text = table(
        ['ID', 'NAME', 'KEY', 'ACCOUNT', 'CREATED', 'LAST USED'],
        keys.map(key => [
          key.id,
          key.name,
          `tk_live_…${key.lastFour}`,
          key.account,
          formatTime(key.createdAt),
          formatTime(key.lastUsedAt),
        ]),
      );
      const value = keys.map(({ id, name, lastFour, account, createdAt, lastUsedAt }) => ({
        id,
        name,
        lastFour,
        account,
        createdAt: isoTime(createdAt),
        lastUsedAt: isoTime(lastUsedAt),
      }));
      print(context, flags.json, value, keys.length === 0 ? 'There are no API keys yet.' : text);
    }),
});

export const keyRevoke = command({
  name: 'key revoke',
  operands: ['ID'],
  flags: jsonFlag,
  summary: 'Revoke an API key, effective immediately',
  run: (context, { operands: [typed], flags }) => {
    const id = wholeOf(typed, 'a key’s id');
    return withExistingDatabase(context, flags, db => {
      if (!apiKeys(db).revoke(id)) throw new CommandError(`There is no key ${id}: daybook key list shows the ids.`);
      print(context, flags.json, { id, revoked: true }, `Revoked key ${id}.`);
    });
  },
});
