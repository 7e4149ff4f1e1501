/**
 * How people come in, whatever they proved themselves with: what a login begins with, and what is
 * asked besides a password.
 */
import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http/errors.ts';
import type { Reply } from '../http/reply.ts';
import { minuteMs } from '../model/time.ts';
import type { Identities } from '../store/accounts/identities.ts';
import type { LoginMethod, Logins } from '../store/accounts/logins.ts';
import type { SecondFactors } from '../store/accounts/second-factors.ts';
import { browserLabel } from './browser-label.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import { type Call, ok } from './route.ts';
import type { Login, Sessions } from './sessions.ts';
import { createPending, type PendingParts } from './sign-in-pending.ts';
import type { Views } from './views.ts';
import type { FactorAsked, Me } from './wire.ts';

/** What somebody has proved. */
export interface Proved {
  personId: number;
  method: LoginMethod;
  /** Of the session at a provider. */
  sid?: string | undefined;
}

/** An identity at a provider that becomes the person’s, once they have proved that they are it. */
export interface WaitingIdentity {
  personId: number;
  issuer: string;
  subject: string;
}

export type Entrance = ReturnType<typeof createEntrance>;

export interface EntranceParts extends PendingParts {
  factors: Pick<SecondFactors, 'find'>;
  identities: Pick<Identities, 'link'>;
  known: KnownBrowsers;
  logins: Pick<Logins, 'end'>;
  sessions: Sessions;
  views: Pick<Views, 'me'>;
}

const halfMs = 5 * minuteMs;
const waitingMs = 10 * minuteMs;

export const createEntrance = (parts: EntranceParts) => {
  const { factors, identities, known, logins, now, sessions, views } = parts;
  /** Who has given a password and still has to give a code. */
  const half = createPending<Proved>(parts, { cookie: 'daybook-half', lastsMs: halfMs });
  const waiting = createPending<WaitingIdentity>(parts, { cookie: 'daybook-link', lastsMs: waitingMs });

  /** Links what waits for it, if it is this person who came. */
  const linkWaiting = (personId: number, request: IncomingMessage): void => {
    const identity = waiting.take(request);
    if (identity?.personId !== personId) return;
    identities.link(identity.issuer, identity.subject, personId, now());
  };

  /**
   * The login of somebody who has proved enough, and the headers that give it to the browser.
   * Throws HttpError for somebody who may not come in.
   */
  const enter = (
    { personId, method, sid }: Proved,
    { request, origin, note }: Call,
  ): { login: Login; cookies: string[] } => {
    const before = sessions.loginOf(request);
    const token = sessions.begin(personId, { method, label: browserLabel(request), sid });
    const login = sessions.loginWith(token);
    if (login === undefined) throw new HttpError('app-signed-out');
    if (before !== undefined) logins.end('browser', before.token);
    linkWaiting(personId, request);
    note({ person: login.person, accountId: null, action: 'signed-in', details: { method } });
    return { login, cookies: [...sessions.keep(token, origin), ...known.remember(request, personId, origin)] };
  };

  /** The same as an answer of the app. */
  const answer = (proved: Proved, call: Call): Reply => {
    const { login, cookies } = enter(proved, call);
    return ok<Me>(views.me(login, call.origin), { 'set-cookie': cookies });
  };

  return {
    enter,
    answer,
    /** Likewise, after asking for the second factor of somebody who has one. */
    answerFirst(proved: Proved, call: Call): Reply {
      if (factors.find(proved.personId) === undefined) return answer(proved, call);
      return ok<FactorAsked>({ factor: true }, { 'set-cookie': half.put(call.request, proved, call.origin) });
    },
    half,
    waiting,
  };
};
