/** Teams: makes, renames and removes them, and what was done in them. */

import { auditView } from '../api/changes/auditor.ts';
import { field, isOn, optional } from '../api/changes/fields.ts';
import { refuseManaged } from '../api/changes/managed.ts';
import { addTeam } from '../api/changes/member-changes.ts';
import { HttpError } from '../http/errors.ts';
import { isDone, type Reply } from '../http/reply.ts';
import { searchOf } from '../http/router.ts';
import { type AuditAction, type AuditRow, isAuditAction } from '../model/audit.ts';
import { csvLine, withoutFormula } from '../model/csv.ts';
import { isoTime } from '../model/time.ts';
import { nameOf } from '../model/values.ts';
import { defaultAccountName } from '../store/accounts/accounts.ts';
import { StoreError } from '../store/database.ts';
import type { InTeam } from './allow.ts';
import type { AppParts } from './parts.ts';
import { requireProof } from './proof.ts';
import { type Call, type DashboardRoute, get, ok, post } from './route.ts';
import type { Login } from './sessions.ts';
import type { AuditList, Me, TeamList } from './wire.ts';

export const teamRoutes = (parts: AppParts): DashboardRoute[] => {
  const { db, accounts, directory, keys, members, sessions, views } = parts;
  return [
    get('/app/teams', 'operator', () =>
      ok<TeamList>({
        data: accounts.list().map(({ id, uuid, name, createdAt }) => ({
          ...{ id: uuid, name, createdAt: isoTime(createdAt) },
          members: members.ofAccount(id).length,
          sites: directory.ofAccount(id).length,
        })),
      }),
    ),

    post('/app/teams', 'operator', ({ body, note, origin }, { person, token }) => {
      const name = field(body, 'name', nameOf);
      const { id } = unlessNamed(() => addTeam(parts, name, person.id));
      note({ person, accountId: id, action: 'team-added', subject: name });
      return ok<Me>(views.me(sessions.loginWith(token)!, origin));
    }),

    post('/app/teams/:team', 'team', ({ body, note, origin }, on) => {
      const { person, token, account } = on;
      const { name = account.name } = optional(body, 'name', nameOf);
      const requireSecondFactor =
        body.requireSecondFactor === undefined ? account.secondFactor : isOn(body, 'requireSecondFactor');
      if (name !== account.name && account.name === defaultAccountName)
        throw new HttpError('app-bad-value', { error: 'Commands know this team by its name.', field: 'name' });
      refuseManaged(parts, 'teams', '', account.name);
      if (requireSecondFactor !== account.secondFactor) {
        requireProof(parts, on);
        if (requireSecondFactor && !hasFactor(parts, on)) throw new HttpError('app-no-own-factor');
      }
      db.transaction(() => {
        unlessNamed(() => accounts.setName(account.id, name));
        accounts.setSecondFactor(account.id, requireSecondFactor);
      }).immediate();
      const of = { person, accountId: account.id, details: { requireSecondFactor } };
      note({ ...of, action: 'team-changed', subject: name });
      return ok<Me>(views.me(sessions.loginWith(token)!, origin));
    }),

    post('/app/teams/:team/remove', 'team', ({ body, note }, on) => {
      const { person, account } = on;
      requireProof(parts, on);
      if (field(body, 'name', nameOf) !== account.name)
        throw new HttpError('app-bad-value', { error: `Type ${account.name} to confirm.`, field: 'name' });
      if (directory.ofAccount(account.id).length > 0) throw new HttpError('app-team-has-sites');
      for (const { id } of keys.list(account.id)) keys.revoke(id);
      accounts.remove(account.id);
      note({ person, accountId: account.id, action: 'team-removed', subject: account.name });
      return isDone();
    }),

    ...auditRoutes(parts),
  ];
};

/** Whether somebody would get in to a team that asks for a second factor. */
const hasFactor = ({ factors }: AppParts, { person, method }: Login): boolean =>
  method === 'passkey' || method === 'oidc' || factors.find(person.id) !== undefined;

const auditRoutes = ({ audit, persons }: AppParts): DashboardRoute[] => {
  const rowsOf = ({ request }: Call, { account }: InTeam, limit: number): AuditRow[] => {
    const search = searchOf(request.url);
    const whole = (name: string): number | undefined => {
      const given = search.get(name);
      if (given === null) return undefined;
      if (!/^\d{1,15}$/.test(given)) throw new HttpError('app-bad-value', { error: 'This is no number.', field: name });
      return Number(given);
    };
    return audit.list({
      accountId: account.id,
      personId: personOf(search.get('person')),
      action: actionOf(search.get('action')),
      before: whole('before'),
      limit: Math.min(whole('limit') ?? limit, limit),
    });
  };
  const personOf = (uuid: string | null): number | undefined => {
    if (uuid === null) return undefined;
    const person = persons.byUuid(uuid);
    if (person === undefined) throw new HttpError('app-no-member');
    return person.id;
  };
  return [
    get('/app/teams/:team/audit', 'audit', (call, on) =>
      ok<AuditList>({ data: rowsOf(call, on, pageRows).map(auditView) }),
    ),
    get('/app/teams/:team/audit.csv', 'audit', (call, on) => auditCsv(rowsOf(call, on, csvRows))),
  ];
};

const pageRows = 100;
/** More than a team does in years; the command prints all. */
const csvRows = 100_000;

const actionOf = (name: string | null): AuditAction | undefined => {
  if (name === null) return undefined;
  if (isAuditAction(name)) return name;
  throw new HttpError('app-bad-value', { error: 'Choose one from the list.', field: 'action' });
};

const auditCsv = (rows: readonly AuditRow[]): Reply => ({
  status: 200,
  headers: {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="audit.csv"',
    'cache-control': 'no-store',
  },
  body: [
    csvLine(['id', 'time', 'actor', 'action', 'subject', 'details', 'network']),
    ...rows.map(({ id, at, actor, action, subject, details, network }) =>
      csvLine([
        ...[String(id), isoTime(at), withoutFormula(actor), action, withoutFormula(subject)],
        ...[withoutFormula(JSON.stringify(details)), network],
      ]),
    ),
  ].join(''),
});

/** Throws HttpError where a team has the name. */
const unlessNamed = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw new HttpError('app-taken', { error: error.message, field: 'name' });
    throw error;
  }
};
