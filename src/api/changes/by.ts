/** What changes of sites, members and keys have in common, whoever makes them. */
import type { IncomingMessage } from 'node:http';
import type { AuditAction, AuditEvent } from '../../model/audit.ts';
import type { Grant } from '../../model/grant.ts';
import type { Random } from '../../model/ids.ts';
import type { Database } from '../../store/database.ts';
import type { SiteDirectory } from '../../store/sites.ts';
import type { Stores } from '../../store/stores.ts';
import type { Auditor } from './auditor.ts';

/** What changes work with. */
export interface ChangeParts extends Stores {
  /** The connection that writes. */
  db: Database;
  auditor: Auditor;
  directory: SiteDirectory;
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
