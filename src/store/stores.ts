/** The stores of what people set: who they are, their sites, and what they save of them. */
import { accounts, apiKeys } from './accounts/accounts.ts';
import { auditStore } from './accounts/audit.ts';
import { credentials } from './accounts/credentials.ts';
import { identities } from './accounts/identities.ts';
import { invitations } from './accounts/invitations.ts';
import { loginLists } from './accounts/login-list.ts';
import { type LoginBounds, logins, usualBounds } from './accounts/logins.ts';
import { members } from './accounts/members.ts';
import { passkeys } from './accounts/passkeys.ts';
import { persons } from './accounts/persons.ts';
import { secondFactors } from './accounts/second-factors.ts';
import { signInLinks } from './accounts/sign-in-links.ts';
import { alerts } from './alerts/alerts.ts';
import { channels } from './alerts/channels.ts';
import type { Database } from './database.ts';
import { definitions } from './definitions.ts';
import { imports } from './imports/imports.ts';
import { removals } from './moved-hits/removals.ts';
import { notes } from './notes.ts';
import { outboxStore } from './outbox.ts';
import { provisioned } from './provisioned.ts';
import { rates } from './rates.ts';
import { rules } from './removal-rules.ts';
import { shares } from './shares.ts';
import { sites } from './sites.ts';

export type Stores = ReturnType<typeof storesOf>;

export const storesOf = (db: Database, bounds: LoginBounds = usualBounds) => ({
  ...{ accounts: accounts(db), audit: auditStore(db), credentials: credentials(db), invitations: invitations(db) },
  ...{ keys: apiKeys(db), links: signInLinks(db), logins: logins(db, bounds), members: members(db) },
  ...{ factors: secondFactors(db), identities: identities(db), passkeys: passkeys(db) },
  ...{ loginLists: loginLists(db, bounds), persons: persons(db), provisioned: provisioned(db), rates: rates(db) },
  ...{ sites: sites(db), shares: shares(db), definitions: definitions(db), notes: notes(db) },
  ...{ imports: imports(db), removals: removals(db), rules: rules(db) },
  ...{ alerts: alerts(db), channels: channels(db), outbox: outboxStore(db) },
});
