/** Teams, and what was done in one. */
import { json } from '../../http/reply.ts';
import { type AuditAction, auditActions, isAuditAction } from '../../model/audit.ts';
import { plans } from '../../model/site.ts';
import { isoTime } from '../../model/time.ts';
import { nameOf } from '../../model/values.ts';
import { auditView } from '../changes/auditor.ts';
import { noteBy } from '../changes/by.ts';
import { reading } from '../changes/fields.ts';
import { addTeam } from '../changes/member-changes.ts';
import { type Parameter, ParameterError } from '../request/parameters.ts';
import { count, instant, list, object, oneOf, record, text } from '../schema.ts';
import { type AdminOperation, inTeam, readIn } from './admin-operation.ts';

const auditRowsMax = 100;
const beforeRow: Parameter<number | undefined> = {
  schema: count,
  meaning: 'Rows with a smaller id, for the next page',
  read(typed, parameter) {
    if (typed === undefined || /^\d{1,15}$/.test(typed)) return typed === undefined ? undefined : Number(typed);
    throw new ParameterError({ error: 'not a number', parameter, value: typed });
  },
};
const ofAction: Parameter<AuditAction | undefined> = {
  schema: oneOf(auditActions),
  meaning: 'Of this kind alone',
  read(typed, parameter) {
    if (typed === undefined || isAuditAction(typed)) return typed;
    throw new ParameterError({ error: 'unknown action', parameter, value: typed, allowed: [...auditActions] });
  },
};

export const teamOperations: AdminOperation[] = [
  {
    ...{ method: 'PUT', path: '/api/ext/teams/:team', name: 'putTeam', right: 'members', tag: 'teams', makes: true },
    gives: object({ id: text, name: text, plan: oneOf(plans), createdAt: instant }),
    summary: 'Makes a team, whose owner is the operator who made the key',
    answer(call) {
      const { accounts } = call.changes();
      const { person, ...by } = call.operator();
      const name = reading('team', () => nameOf(call.parameters.team!));
      const shown = ({ uuid: id, plan, createdAt }: ReturnType<typeof accounts.add>) => ({
        ...{ id, name, plan, createdAt: isoTime(createdAt) },
      });
      const known = accounts.list().find(account => account.name === name);
      if (known !== undefined) return json(200, shown(known));
      const team = addTeam(call.changes(), name, person.id!);
      noteBy(call.changes(), { ...by, person, grant: { ...by.grant, account: team } }, 'team-added', name);
      return json(201, shown(team));
    },
  },
  inTeam({
    ...{ method: 'GET', path: '/api/ext/teams/:team/audit', name: 'listAudit', right: 'audit' },
    own: { before: beforeRow, action: ofAction },
    gives: object({
      data: list(
        object({
          ...{ id: count, at: instant, actor: text, action: text, subject: text, network: text },
          details: record({}),
        }),
        auditRowsMax,
      ),
    }),
    summary: 'What was done in a team, the newest first',
    answer(call, { grant }) {
      const filter = { before: readIn(call, 'before', beforeRow), action: readIn(call, 'action', ofAction) };
      const rows = call.changes().audit.list({ ...filter, accountId: grant.account.id, limit: auditRowsMax });
      return json(200, { data: rows.map(auditView) });
    },
  }),
];
