/** What alerts and channels are read from and written to. */
import type { Random } from '../../model/ids.ts';
import { accounts } from '../../store/accounts/accounts.ts';
import { members } from '../../store/accounts/members.ts';
import { persons } from '../../store/accounts/persons.ts';
import { type Alerts, alerts } from '../../store/alerts/alerts.ts';
import { type Channels, channels } from '../../store/alerts/channels.ts';
import type { Database } from '../../store/database.ts';
import { type OutboxStore, outboxStore } from '../../store/outbox.ts';
import { provisioned } from '../../store/provisioned.ts';
import type { ManagedParts } from '../changes/managed.ts';

export interface AlertStores extends ManagedParts {
  alerts: Alerts;
  channels: Channels;
  outbox: OutboxStore;
  /** E-mails of the members of a team. */
  emailsOf: (accountId: number) => string[];
  random: Random;
  /** Whether a mail server is set. */
  sendsMail: boolean;
}

/** What only a server that writes itself has. */
export const alertStoresOf = (db: Database, random: Random, sendsMail: boolean): AlertStores => {
  const [team, all] = [members(db), persons(db)];
  return {
    ...{ alerts: alerts(db), channels: channels(db), outbox: outboxStore(db), random, sendsMail },
    ...{ accounts: accounts(db), provisioned: provisioned(db) },
    emailsOf: accountId => team.ofAccount(accountId).flatMap(({ personId }) => all.byId(personId)?.email ?? []),
  };
};
