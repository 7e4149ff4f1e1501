/** Writes down what people and keys change, and to the log where the operator wants that. */
import type { IncomingMessage } from 'node:http';
import { createRateLimit, type RateLimit } from '../../http/rate-limit.ts';
import type { Log } from '../../log.ts';
import { networkName } from '../../model/address.ts';
import type { AuditAction, AuditEvent, AuditRow } from '../../model/audit.ts';
import type { Grant } from '../../model/grant.ts';
import { hourMs, isoTime, minuteMs } from '../../model/time.ts';
import type { AuditStore } from '../../store/accounts/audit.ts';
import type { Exported } from '../export.ts';

/** Who did what: a person; before somebody is one, whoever gave an e-mail; or a key by its name. */
export interface Audited {
  request: IncomingMessage;
  person: { id: number | null; email: string };
  /** The account that it is about; null for what concerns the person alone. */
  accountId: number | null;
  action: AuditAction;
  subject?: string;
  details?: AuditEvent['details'];
}

export type Auditor = ReturnType<typeof createAuditor>;

/** A row as the page and the API show it. */
export const auditView = ({ id, at, actor, action, subject, details, network }: AuditRow) => ({
  ...{ id, at: isoTime(at), actor, action, subject, details, network },
});

/** Somebody whose right was missing, and the teams that they are in. */
interface Refused {
  person: { id: number; email: string };
  grants: readonly Grant[];
}

export interface AuditorParts {
  audit: AuditStore;
  addressOf: (request: IncomingMessage) => string;
  now: () => number;
  log: Log;
  /** Days that are kept; 0: all. */
  auditDays: number;
  /** Whether the log gets a line for each. */
  auditLog: boolean;
}

const boundedMax = 10;

export const createAuditor = ({ audit, addressOf, now, log, auditDays, auditLog }: AuditorParts) => {
  const [refused, failed, exports] = [minuteMs, hourMs, hourMs].map(windowMs =>
    createRateLimit({ now, max: boundedMax, windowMs }),
  ) as [RateLimit, RateLimit, RateLimit];
  let prunedAt = Number.NEGATIVE_INFINITY;
  const write = (event: AuditEvent): void => {
    try {
      audit.add(event);
      if (now() - prunedAt > hourMs) {
        prunedAt = now();
        audit.prune(auditDays, now());
      }
    } catch (error) {
      log('audit-failed', { action: event.action, reason: String(error) });
    }
    if (auditLog) log('audit', { action: event.action, actor: event.actor, subject: event.subject });
  };
  /** Never throws: what was done is done. */
  const note = ({ request, person, accountId, action, subject = '', details = {} }: Audited): void =>
    write({
      ...{ at: now(), accountId, personId: person.id, actor: person.email, action, subject, details },
      network: networkName(addressOf(request)),
    });
  /** Whether one more is noted. */
  const isWithin = (limit: RateLimit, key: string): boolean => limit.take(key) === 0;
  return {
    note,
    /**
     * Notes that somebody did not get in, at most ten times an hour and person, and as often for
     * all e-mails that are nobody's.
     */
    noteFailed(audited: Omit<Audited, 'accountId' | 'action'>): void {
      // Strangers choose e-mails, and must not choose how much is remembered and written.
      const key = String(audited.person.id);
      if (isWithin(failed, key)) note({ ...audited, accountId: null, action: 'sign-in-failed' });
    },
    /** Notes that hits left the server, at most ten times an hour for the same caller and site. */
    noteExported(request: IncomingMessage, { by: { personId, actor }, site, what }: Exported): void {
      if (!isWithin(exports, `${personId} ${actor} ${site.id}`)) return;
      const of = { accountId: site.accountId, subject: site.domain, details: { what } };
      note({ request, person: { id: personId, email: actor }, action: 'exported', ...of });
    },
    /** Notes that a right was missing, at most ten times a minute and person. */
    noteRefused(request: IncomingMessage, { person, grants }: Refused): void {
      if (!isWithin(refused, String(person.id))) return;
      const path = (request.url ?? '').replace(/\?.*/s, '').slice(0, 200);
      note({ request, person, accountId: grants[0]?.account.id ?? null, action: 'refused', subject: path });
    },
  };
};
