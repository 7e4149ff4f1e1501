/** Adding, listing and removing passkeys, and signing in with one. */

import { optional } from '../../api/changes/fields.ts';
import { HttpError } from '../../http/errors.ts';
import { isRecord } from '../../model/record.ts';
import { nameOf } from '../../model/values.ts';
import { browserLabel } from '../browser-label.ts';
import { factorsOf } from '../factors/view.ts';
import type { AppParts } from '../parts.ts';
import { requireProof, waysOf } from '../proof.ts';
import { type DashboardRoute, ok, openPost, post } from '../route.ts';
import { checkPasskey } from './check.ts';
import { creationOptions, makeChallenge, type PasskeyPlace, passkeysMax, requestOptions } from './options.ts';

export const passkeyRoutes = (parts: AppParts): DashboardRoute[] => {
  const { passkeys, place, challenges, entrance, now, random } = parts;

  const needPlace = (): PasskeyPlace => {
    if (place === null) throw new HttpError('app-no-passkeys');
    return place;
  };

  return [
    post('/app/passkeys/options', 'self', ({ request, origin }, login) => {
      requireProof(parts, login);
      const { id, email, name } = login.person;
      const challenge = makeChallenge(random);
      const known = passkeys.ofPerson(id).map(({ credentialId }) => credentialId);
      if (known.length >= passkeysMax) throw new HttpError('app-too-many-passkeys');
      const options = creationOptions(needPlace(), { handle: passkeys.handleOf(id), email, name }, challenge, known);
      return ok(options, { 'set-cookie': challenges.put(request, challenge, origin) });
    }),

    post('/app/passkeys', 'self', async ({ request, body, note }, login) => {
      requireProof(parts, login);
      const { credential } = body;
      const { name = browserLabel(request) || 'Passkey' } = optional(body, 'name', nameOf);
      const challenge = challenges.take(request);
      if (challenge === undefined || !isRecord(credential)) throw new HttpError('app-passkey-refused');
      const { verifyNew } = await import('./verify.ts');
      const made = await verifyNew(credential, challenge, needPlace());
      if (made === undefined) throw new HttpError('app-passkey-refused');
      const personId = login.person.id;
      if (passkeys.ofPerson(personId).length >= passkeysMax) throw new HttpError('app-too-many-passkeys');
      const isAdded = passkeys.add({ ...made, personId, name, createdAt: now(), lastUsedAt: null });
      if (!isAdded) throw new HttpError('app-passkey-refused');
      const of = { person: login.person, accountId: null, details: { factor: 'passkey' } };
      note({ ...of, action: 'factor-added', subject: name });
      return ok(factorsOf(parts, login));
    }),

    post('/app/passkeys/:key/remove', 'self', ({ parameters, note }, login) => {
      requireProof(parts, login);
      const own = passkeys.ofPerson(login.person.id);
      const found = own.find(({ credentialId }) => credentialId.toString('base64url') === parameters.key);
      if (found === undefined) throw new HttpError('app-no-passkey');
      if (own.length === 1 && isOnlyWay(parts, login.person.id)) throw new HttpError('app-only-way');
      passkeys.remove(found.credentialId);
      const of = { person: login.person, accountId: null, details: { factor: 'passkey' } };
      note({ ...of, action: 'factor-removed', subject: found.name });
      return ok(factorsOf(parts, login));
    }),

    openPost('/app/sign-in/passkey/options', ({ request, origin }) => {
      const challenge = makeChallenge(random);
      return ok(requestOptions(needPlace(), challenge), { 'set-cookie': challenges.put(request, challenge, origin) });
    }),

    openPost('/app/sign-in/passkey', async call =>
      entrance.answer({ personId: await checkPasskey(parts, call), method: 'passkey' }, call),
    ),
  ];
};

/** Whether somebody without a passkey could not come in. */
const isOnlyWay = (parts: AppParts, personId: number): boolean => {
  const { password, oidc } = waysOf(parts, personId);
  return !password && !oidc;
};
