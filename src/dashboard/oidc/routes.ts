/**
 * Signing in with the provider of the settings: there, back, and out again. These are pages and not
 * requests of the app, so what fails leads to the page of signing in, which says it.
 */
import { HttpError } from '../../http/errors.ts';
import { json, type Reply } from '../../http/reply.ts';
import { searchOf } from '../../http/router.ts';
import { reasonOf } from '../../log.ts';
import type { OidcSettings } from '../../model/oidc.ts';
import { minuteMs } from '../../model/time.ts';
import { pageHeaders } from '../page-headers.ts';
import type { AppParts } from '../parts.ts';
import { type Call, type DashboardRoute, postForm } from '../route.ts';
import { createPending } from '../sign-in-pending.ts';
import type { OidcClaims, OidcClient, OidcSecrets } from './client.ts';
import { OidcAway, OidcDenied } from './errors.ts';
import { createMemberships } from './memberships.ts';
import { type OidcFailure, whoIs } from './who.ts';

/** Where somebody was, who is at the provider now. */
interface Gone {
  secrets: OidcSecrets;
  next: string;
  /** The login that proves anew who it is; undefined for somebody who signs in. */
  proves: string | undefined;
}

/** Time to sign in at the provider. */
const goneMs = 10 * minuteMs;
/** Each asks the provider for a token, so strangers do not make the server ask more at a time. */
const returningMax = 32;

export type OidcDoor = ReturnType<typeof createOidcDoor>;

export const createOidcDoor = (parts: AppParts, settings: OidcSettings) => {
  const { now, log } = parts;
  let client: Promise<OidcClient> | undefined;
  const load = (): Promise<OidcClient> => {
    client ??= import('./client.ts').then(({ createOidcClient }) => createOidcClient(settings, now));
    return client;
  };
  const gone = createPending<Gone>(parts, { cookie: 'daybook-oidc', lastsMs: goneMs });
  const come = comer(parts, settings);
  let returning = 0;

  /** What went wrong; strangers learn no more than one of the words. */
  const failed = (error: unknown, next: string): Reply => {
    log('oidc-failed', { reason: reasonOf(error) });
    if (error instanceof OidcAway) return toSignIn('away', next);
    return error instanceof OidcDenied ? toSignIn('denied', next, error.code) : toSignIn('refused', next);
  };

  const begin = async (call: Call): Promise<Reply> => {
    const { request, origin } = call;
    const query = searchOf(request.url);
    const next = ownPath(query.get('next'));
    const login = call.login();
    const isProof = query.has('prove') && login !== undefined;
    if (login !== undefined && !isProof) return redirect(next);
    try {
      const { url, secrets } = await (await load()).begin(callbackOf(origin), isProof);
      return redirect(url.href, gone.put(request, { secrets, next, proves: login?.token }, origin));
    } catch (error) {
      return failed(error, next);
    }
  };

  const callback = async (call: Call): Promise<Reply> => {
    const { request, origin } = call;
    const left = gone.take(request);
    if (left === undefined) return toSignIn('expired', '/');
    if (returning >= returningMax) return toSignIn('away', left.next);
    returning++;
    try {
      const claims = await (await load()).finish(new URL(request.url!, origin), left.secrets);
      return left.proves === undefined ? come(call, claims, left.next) : proved(parts, settings, call, claims, left);
    } catch (error) {
      return failed(error, left.next);
    } finally {
      returning--;
    }
  };

  return {
    routes: [
      page('/sign-in/oidc', begin),
      page('/sign-in/oidc/callback', callback),
      postForm('/sign-in/oidc/backchannel', (_, form) => backchannel(parts, settings, load, form)),
    ],
    /** Where to sign out at the provider; null where it has no such page or does not answer. */
    async endSessionUrl(origin: string): Promise<string | null> {
      try {
        return (await (await load()).endSessionUrl(`${origin}/sign-in`))?.href ?? null;
      } catch {
        // Whoever signs out here is signed out here, whatever the provider does.
        return null;
      }
    },
  };
};

/** Lets somebody in whom the provider has named. */
const comer = (parts: AppParts, settings: OidcSettings) => {
  const { entrance, identities, log, now, persons } = parts;
  const memberships = createMemberships(parts, settings);
  const people = {
    ofSubject(subject: string) {
      const id = identities.find(settings.issuer, subject);
      return id === undefined ? undefined : persons.byId(id);
    },
    ofEmail: persons.ofEmail,
    isLinked: identities.isLinked,
    isInvited: memberships.isInvited,
  };

  const enter = (call: Call, personId: number, { subject, groups, sid }: OidcClaims, next: string): Reply => {
    memberships.followGroups(personId, groups, call.request);
    identities.link(settings.issuer, subject, personId, now());
    const { cookies } = entrance.enter({ personId, method: 'oidc', sid }, call);
    return redirect(next, cookies);
  };

  return (call: Call, claims: OidcClaims, next: string): Reply => {
    const who = whoIs(claims, settings, people);
    try {
      switch (who.kind) {
        case 'refused':
          return toSignIn(who.failure, next);
        case 'prove': {
          const { personId } = who;
          const waiting = { personId, issuer: settings.issuer, subject: claims.subject };
          return redirect(
            `/sign-in?link=1&next=${encodeURIComponent(next)}`,
            entrance.waiting.put(call.request, waiting, call.origin),
          );
        }
        case 'known':
          if (who.email !== undefined) memberships.changeEmail(who.personId, who.email);
          return enter(call, who.personId, claims, next);
        case 'link':
          return enter(call, who.personId, claims, next);
        case 'create': {
          const id = memberships.create(who.email, claims.name, call.request);
          return enter(call, id, claims, next);
        }
      }
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      log('oidc-failed', { reason: reasonOf(error) });
      return toSignIn('no-account', next);
    }
  };
};

/** Somebody who is signed in has proved anew who they are. Whoever else came changes nothing. */
const proved = (
  { identities, sessions }: AppParts,
  { issuer }: OidcSettings,
  call: Call,
  { subject }: OidcClaims,
  { next, proves }: Gone,
): Reply => {
  const login = call.login();
  const isSame = login?.token === proves && identities.find(issuer, subject) === login?.person.id;
  return redirect(next, isSame ? sessions.confirm(login!, call.origin) : []);
};

/** Ends logins that the provider has ended. */
const backchannel = async (
  { identities, log, loginLists }: AppParts,
  { issuer }: OidcSettings,
  load: () => Promise<OidcClient>,
  form: URLSearchParams,
): Promise<Reply> => {
  const token = form.get('logout_token');
  if (token === null) return json(400, { error: 'invalid_request' });
  try {
    const { subject, sid } = await (await load()).readLogout(token);
    if (sid !== undefined) loginLists.endSid(sid);
    const personId = subject === undefined ? undefined : identities.find(issuer, subject);
    if (sid === undefined && personId !== undefined) loginLists.endProvided(personId);
    return json(200, {});
  } catch (error) {
    log('oidc-logout-failed', { reason: reasonOf(error) });
    return json(400, { error: 'invalid_request' });
  }
};

const page = (path: string, answer: DashboardRoute['answer']): DashboardRoute => ({
  ...{ method: 'GET', path, right: 'anybody', answer },
});

const callbackOf = (origin: string): string => `${origin}/sign-in/oidc/callback`;

const toSignIn = (failure: OidcFailure, next: string, code?: string): Reply => {
  const told = code !== undefined && /^[a-z_]{1,60}$/.test(code) ? `&code=${code}` : '';
  return redirect(`/sign-in?failed=${failure}${told}&next=${encodeURIComponent(next)}`);
};

const redirect = (location: string, cookies: readonly string[] = []): Reply => ({
  status: 303,
  headers: { location, ...pageHeaders, ...(cookies.length > 0 && { 'set-cookie': [...cookies] }) },
  body: '',
});

const nextCharsMax = 2000;
/** A path of this host, however it is written. */
const ownPath = (next: string | null): string => {
  if (next === null || next.length > nextCharsMax || !URL.canParse(next, 'http://localhost')) return '/';
  const { origin, pathname, search } = new URL(next, 'http://localhost');
  return origin === 'http://localhost' && !pathname.startsWith('//') ? pathname + search : '/';
};
