/** API keys of a team. */

import { addKey, keyView, revokeKey } from '../api/changes/key-changes.ts';
import { isDone } from '../http/reply.ts';
import { byOf } from './by.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, get, ok, post } from './route.ts';
import type { Keys, NewKey } from './wire.ts';

export const keyRoutes = (parts: AppParts): DashboardRoute[] => {
  const { keys } = parts;
  return [
    get('/app/keys', 'keys', (_, { account }) => ok<Keys>({ data: keys.list(account.id).map(keyView) })),

    post('/app/keys', 'keys', (call, login) => {
      const { added, key } = addKey(parts, byOf(parts, call, login), call.body);
      return ok<NewKey>({ ...keyView(added), key });
    }),

    post('/app/keys/:key/revoke', 'keys', (call, login) => {
      revokeKey(parts, byOf(parts, call, login), call.parameters.key);
      return isDone();
    }),
  ];
};
