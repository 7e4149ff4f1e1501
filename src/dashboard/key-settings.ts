/** API keys: made, listed and revoked by their account. */
import { makeApiKey, type Random } from '../model/ids.ts';
import { nameOf } from '../model/values.ts';
import type { ApiKeys } from '../store/accounts/accounts.ts';
import { field } from './body.ts';
import { done, type Endpoint, get, ok, post } from './endpoint.ts';
import { Failed } from './failure.ts';
import { keyView } from './views.ts';
import type { Keys, NewKey } from './wire.ts';

export interface KeyParts {
  keys: ApiKeys;
  now: () => number;
  random: Random;
}

export const keyEndpoints = ({ keys, now, random }: KeyParts): Endpoint[] => [
  get('/app/keys', (_, { account }) => ok<Keys>({ data: keys.list(account.id).map(keyView) })),

  post('/app/keys', ({ body }, { account }) => {
    const key = makeApiKey(random);
    const added = keys.add(account.id, field(body, 'name', nameOf), key, now());
    return ok<NewKey>({ ...keyView(added), key });
  }),

  post('/app/keys/:key/revoke', ({ parameters }, { account }) => {
    const own = keys.list(account.id).find(({ id }) => String(id) === parameters.key);
    if (own === undefined) throw new Failed(404, 'There is no such key.');
    keys.revoke(own.id);
    return done();
  }),
];
