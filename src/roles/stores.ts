/** What the API reads besides hits. */
import type { AlertStores } from '../api/alerts/changes.ts';
import type { Random } from '../model/ids.ts';
import { accounts, apiKeys } from '../store/accounts/accounts.ts';
import { members } from '../store/accounts/members.ts';
import { persons } from '../store/accounts/persons.ts';
import { alerts } from '../store/alerts/alerts.ts';
import { channels } from '../store/alerts/channels.ts';
import type { Database } from '../store/database.ts';
import { definitions } from '../store/definitions.ts';
import { notes } from '../store/notes.ts';
import { outboxStore } from '../store/outbox.ts';
import { rates } from '../store/rates.ts';

/** What only a server that writes itself has. */
export const alertStoresOf = (db: Database, random: Random): AlertStores => {
  const [team, all] = [members(db), persons(db)];
  return {
    ...{ alerts: alerts(db), channels: channels(db), outbox: outboxStore(db), random },
    emailsOf: accountId => team.ofAccount(accountId).flatMap(({ personId }) => all.byId(personId)?.email ?? []),
  };
};

export const storesOf = (db: Database) => ({
  accounts: accounts(db),
  keys: apiKeys(db),
  rates: rates(db),
  definitions: definitions(db),
  notes: notes(db),
});
