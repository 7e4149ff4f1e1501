/** `daybook audit …`: what people did, and whether nothing of that is missing. */
import type { AuditAction, AuditEvent } from '../model/audit.ts';
import { dayMs, isoTime } from '../model/time.ts';
import { accounts } from '../store/accounts/accounts.ts';
import { auditStore } from '../store/accounts/audit.ts';
import type { Database } from '../store/database.ts';
import { command, UsageError } from './command.ts';
import { accountFlag, textFlag } from './flags.ts';
import { formatTime, listing } from './format.ts';
import { accountIdOf } from './lookup.ts';

/** Writes down what a command did. */
export const noteByCommand = (
  db: Database,
  at: number,
  of: { accountId: number | null; action: AuditAction; subject: string; details?: AuditEvent['details'] },
): void => {
  auditStore(db).add({ details: {}, ...of, at, personId: null, actor: 'cli', network: '' });
};

const daysOf = (typed: string): number => {
  const [, days] = /^(\d{1,5})d$/.exec(typed) ?? [];
  if (days === undefined) throw new UsageError('--since needs days, such as 7d.');
  return Number(days);
};

const auditList = command({
  name: 'audit',
  flags: {
    ...accountFlag,
    since: textFlag('DAYS', 'Of the last days alone, such as 7d', daysOf),
  },
  summary: 'List what people did, the newest first',
  details: 'Without --account also what concerns the server. AUDIT_DAYS says how long it is kept.',
  run: ({ db, now }, { flags }) => {
    const since = flags.since === undefined ? undefined : now() - flags.since * dayMs;
    const rows = auditStore(db).list({ accountId: accountIdOf(db, flags.account), since, limit: -1 });
    const all = rows.map(({ at, accountId, personId: _, ...row }) => ({
      ...row,
      at: isoTime(at),
      account: accountId === null ? null : (accounts(db).byId(accountId)?.name ?? null),
    }));
    return listing(
      all,
      {
        TIME: ({ at }) => formatTime(Date.parse(at)),
        WHO: 'actor',
        ACTION: 'action',
        WHAT: 'subject',
        ACCOUNT: 'account',
        DETAILS: ({ details }) => (Object.keys(details).length === 0 ? '' : JSON.stringify(details)),
      },
      'Nobody has done anything yet.',
    );
  },
});

const auditCheck = command({
  name: 'audit check',
  summary: 'Look whether a row of the audit was changed or taken out',
  run: ({ db }) => {
    const { rows, broken } = auditStore(db).firstBroken();
    return {
      json: { rows, broken },
      text: broken === null ? `All ${rows} rows are as they were written.` : `${rows} rows were looked at.`,
      failure: broken === null ? undefined : `Before or in row ${broken} something was changed or taken out.`,
    };
  },
});

export const auditCommands = [auditList, auditCheck];
