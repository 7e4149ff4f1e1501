/** API keys of a team. */
import { isDone, json } from '../../http/reply.ts';
import { scopeNames } from '../../model/scopes.ts';
import { addKey, keyView, revokeKey } from '../changes/key-changes.ts';
import { done } from '../operation.ts';
import { count, described, instant, list, nullable, object, oneOf, text } from '../schema.ts';
import { type AdminOperation, inTeam } from './admin-operation.ts';

const keyFields = {
  ...{ id: count, name: text, lastFour: text, scopes: list(oneOf(scopeNames)), sites: nullable(list(text)) },
  ...{ expiresAt: nullable(instant), createdAt: instant, lastUsedAt: nullable(instant) },
};
const path = '/api/ext/teams/:team/keys';
export const keyOperations: AdminOperation[] = [
  inTeam({
    ...{ method: 'GET', path, name: 'listKeys', right: 'keys' },
    gives: object({ data: list(object(keyFields)) }),
    summary: 'API keys of a team',
    answer: (call, { grant }) => json(200, { data: call.changes().keys.list(grant.account.id).map(keyView) }),
  }),
  inTeam({
    ...{ method: 'POST', path, name: 'addKey', right: 'keys' },
    takes: object({ name: text }, { scopes: list(oneOf(scopeNames)), sites: list(text), days: text }),
    gives: object({ ...keyFields, key: described(text, 'The key itself, which is shown this once') }),
    summary: 'Makes an API key',
    async answer(call, by) {
      const { added, key } = addKey(call.changes(), by, await call.body());
      return json(200, { ...keyView(added), key });
    },
  }),
  inTeam({
    ...{ method: 'DELETE', path: `${path}/:key`, name: 'revokeKey', right: 'keys', gives: done },
    summary: 'Revokes an API key, effective immediately',
    answer(call, by) {
      revokeKey(call.changes(), by, call.parameters.key);
      return isDone();
    },
  }),
];
