/** API keys of a team. */
import { json } from '../../http/reply.ts';
import { scopeNames } from '../../model/scopes.ts';
import { noteBy } from '../changes/by.ts';
import { addKey, keyView, revokeKey } from '../changes/key-changes.ts';
import { done } from '../operation.ts';
import { count, described, instant, list, nullable, object, oneOf, text } from '../schema.ts';
import { type AdminOperation, isDone, need } from './admin-operation.ts';

const keyFields = {
  ...{ id: count, name: text, lastFour: text, scopes: list(oneOf(scopeNames)), sites: nullable(list(text)) },
  ...{ expiresAt: nullable(instant), createdAt: instant, lastUsedAt: nullable(instant) },
};
export const keyOperations: AdminOperation[] = [
  {
    ...{ method: 'GET', path: '/api/ext/teams/:team/keys', name: 'listKeys', right: 'keys', tag: 'teams' },
    gives: object({ data: list(object(keyFields)) }),
    summary: 'API keys of a team',
    answer(call) {
      const by = call.by(call.parameters.team);
      need(by, 'keys');
      return json(200, { data: call.changes().keys.list(by.grant.account.id).map(keyView) });
    },
  },
  {
    ...{ method: 'POST', path: '/api/ext/teams/:team/keys', name: 'addKey', right: 'keys', tag: 'teams' },
    takes: object({ name: text }, { scopes: list(oneOf(scopeNames)), sites: list(text), days: text }),
    gives: object({ ...keyFields, key: described(text, 'The key itself, which is shown this once') }),
    summary: 'Makes an API key',
    async answer(call) {
      const body = await call.body();
      const by = call.by(call.parameters.team);
      need(by, 'keys');
      const { added, key } = addKey(call.changes(), by, body);
      noteBy(call.changes(), by, 'key-added', added.name);
      return json(200, { ...keyView(added), key });
    },
  },
  {
    ...{ method: 'DELETE', path: '/api/ext/teams/:team/keys/:key', name: 'revokeKey', right: 'keys', tag: 'teams' },
    gives: done,
    summary: 'Revokes an API key, effective immediately',
    answer(call) {
      const by = call.by(call.parameters.team);
      need(by, 'keys');
      noteBy(call.changes(), by, 'key-revoked', revokeKey(call.changes(), by.grant.account, call.parameters.key).name);
      return isDone();
    },
  },
];
