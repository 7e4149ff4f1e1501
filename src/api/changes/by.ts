/** What changes of sites, members and keys have in common, whoever makes them. */
import type { IncomingMessage } from 'node:http';
import type { AuditAction, AuditEvent } from '../../model/audit.ts';
import type { Grant } from '../../model/grant.ts';
import type { Random } from '../../model/ids.ts';
import type { Accounts, ApiKeys } from '../../store/accounts/accounts.ts';
import type { AuditStore } from '../../store/accounts/audit.ts';
import type { InvitationStore } from '../../store/accounts/invitations.ts';
import type { MemberStore } from '../../store/accounts/members.ts';
import type { Persons } from '../../store/accounts/persons.ts';
import type { Database } from '../../store/database.ts';
import type { Definitions } from '../../store/definitions.ts';
import type { Notes } from '../../store/notes.ts';
import type { Provisioned } from '../../store/provisioned.ts';
import type { Shares } from '../../store/shares.ts';
import type { SiteDirectory, Sites } from '../../store/sites.ts';
import type { Auditor } from './auditor.ts';

/** What changes work with. */
export interface ChangeParts {
  /** The connection that writes. */
  db: Database;
  accounts: Accounts;
  audit: AuditStore;
  auditor: Auditor;
  definitions: Definitions;
  directory: SiteDirectory;
  invitations: InvitationStore;
  keys: ApiKeys;
  members: MemberStore;
  notes: Notes;
  persons: Persons;
  provisioned: Provisioned;
  shares: Shares;
  sites: Sites;
  /** Starts deleting the data of removed and reset sites. */
  dropRows: () => void;
  /** UTC milliseconds. */
  now: () => number;
  random: Random;
}

/** Who makes a change in a team: somebody signed in, or a program with a key. */
export interface By {
  request: IncomingMessage;
  /** Their rights in the team. */
  grant: Grant;
  /** As the audit names them. */
  person: { id: number | null; email: string };
  /**
   * When their access ends, UTC milliseconds; null for never. What they make gives none for longer.
   */
  endsAt: number | null;
  /** Where people reach the dashboard, without a slash at its end. */
  origin: string;
  /** Throws HttpError where it is too long ago that somebody proved who they are. */
  prove(): void;
}

/** Writes down a change. */
export const noteBy = (
  { auditor }: Pick<ChangeParts, 'auditor'>,
  { request, person, grant }: By,
  action: AuditAction,
  subject: string,
  details: AuditEvent['details'] = {},
): void => auditor.note({ request, person, accountId: grant.account.id, action, subject, details });
