/** The codes of an authenticator app: turning them on and off, and typing one to come in. */

import { asTyped, field } from '../../api/changes/fields.ts';
import { HttpError } from '../../http/errors.ts';
import { minuteMs } from '../../model/time.ts';
import type { AppParts } from '../parts.ts';
import { requireProof } from '../proof.ts';
import { type DashboardRoute, get, ok, openPost, post } from '../route.ts';
import { createPending } from '../sign-in-pending.ts';
import type { NewCodes, NewTotp } from '../wire.ts';
import { createCodeCheck } from './code-check.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';
import { base32, otpauthUri, totpSecretBytes, totpStepOf } from './totp.ts';
import { factorsOf } from './view.ts';

/** Time to scan the picture and type a code. */
const setUpMs = 15 * minuteMs;

export const factorRoutes = (parts: AppParts): DashboardRoute[] => {
  const { auditor, entrance, factors, known, logins, now, persons, random } = parts;
  const codes = createCodeCheck(factors, now);
  const secrets = createPending<{ personId: number; totp: Buffer }>(parts, {
    cookie: 'daybook-totp',
    lastsMs: setUpMs,
  });

  return [
    get('/app/account/factors', 'self', (_, login) => ok(factorsOf(parts, login))),

    post('/app/totp/begin', 'self', ({ request, origin }, login) => {
      requireProof(parts, login);
      const totp = Buffer.from(random(totpSecretBytes));
      const { id: personId, email } = login.person;
      return ok<NewTotp>(
        { secret: base32(totp), uri: otpauthUri(totp, email, new URL(origin).host) },
        { 'set-cookie': secrets.put(request, { personId, totp }, origin) },
      );
    }),

    post('/app/totp', 'self', ({ request, body, note }, login) => {
      requireProof(parts, login);
      const code = field(body, 'code', asTyped);
      const begun = secrets.peek(request);
      if (begun === undefined || begun.personId !== login.person.id) throw new HttpError('app-took-too-long');
      const step = totpStepOf({ totp: begun.totp, totpStep: null }, code, now());
      if (step === undefined) throw new HttpError('app-wrong-code', { field: 'code' });
      secrets.take(request);
      const made = makeRecoveryCodes(random);
      factors.set(login.person.id, begun.totp, step, made);
      logins.endKind('program', login.person.id);
      note({ person: login.person, accountId: null, action: 'factor-added', details: { factor: 'app' } });
      return ok<NewCodes>({ codes: made });
    }),

    post('/app/totp/remove', 'self', ({ note }, login) => {
      requireProof(parts, login);
      factors.remove(login.person.id);
      note({ person: login.person, accountId: null, action: 'factor-removed', details: { factor: 'app' } });
      return ok(factorsOf(parts, login));
    }),

    post('/app/totp/codes', 'self', (_, login) => {
      requireProof(parts, login);
      if (factors.find(login.person.id) === undefined) throw new HttpError('app-no-factor');
      const made = makeRecoveryCodes(random);
      factors.setCodes(login.person.id, made);
      return ok<NewCodes>({ codes: made });
    }),

    openPost('/app/sign-in/code', call => {
      const { request, body } = call;
      const typed = field(body, 'code', asTyped);
      const proved = entrance.half.peek(request);
      if (proved === undefined) throw new HttpError('app-took-too-long');
      const { personId } = proved;
      if (!codes.use(personId, typed, known.find(request, personId))) {
        const person = { id: personId, email: persons.byId(personId)?.email ?? '' };
        auditor.noteFailed({ request, person, details: { factor: 'code' } });
        throw new HttpError('app-wrong-code', { field: 'code' });
      }
      entrance.half.take(request);
      return entrance.answer(proved, call);
    }),
  ];
};
