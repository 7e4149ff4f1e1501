/**
 * Access that people give to programs: the page that asks them, and the list of what they gave. The
 * paths that programs ask are in src/oauth/.
 */

import { asTyped, field, optionalList } from '../api/changes/fields.ts';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { isDone } from '../http/reply.ts';
import type { AuditAction } from '../model/audit.ts';
import { isoTime, isoTimeOrNull } from '../model/time.ts';
import { OAuthFailure } from '../oauth/failure.ts';
import type { OAuth } from '../oauth/oauth.ts';
import { hostOf } from '../oauth/redirects.ts';
import { type AccessRequest, grantableScopes } from '../oauth/requests.ts';
import type { OAuthGrant } from '../store/accounts/oauth.ts';
import { readableSites } from './allow.ts';
import type { AppParts } from './parts.ts';
import { type Call, type DashboardRoute, get, ok, post } from './route.ts';
import type { Login } from './sessions.ts';
import type { GoTo, ProgramAsks, Programs, ProgramView } from './wire.ts';

const programView = ({ id, clientName, redirect, scopes, sites, createdAt, lastUsedAt }: OAuthGrant): ProgramView => ({
  ...{ id, name: clientName, host: hostOf(redirect), scopes, sites },
  createdAt: isoTime(createdAt),
  lastUsedAt: isoTimeOrNull(lastUsedAt),
});

/** What the address of the page asks for. Rejects with HttpError. */
const requestIn = async (oauth: OAuth, body: Body): Promise<AccessRequest> => {
  try {
    return await oauth.read(new URLSearchParams(field(body, 'search', asTyped)));
  } catch (error) {
    if (error instanceof OAuthFailure) throw new HttpError('app-bad-program', { error: `${error.message}.` });
    throw error;
  }
};

const textsOf = <N extends string>(body: Body, name: N): { [K in N]?: readonly string[] } =>
  optionalList(body, name, texts => texts);

/** Each team of the person hears of it, since the program reads there too. */
const noteFor = ({ note }: Call, login: Login, action: AuditAction, subject: string): void => {
  const teams = login.grants.length === 0 ? [null] : login.grants.map(({ account }) => account.id);
  for (const accountId of teams) note({ person: login.person, accountId, action, subject });
};

/** The host of the document that a program is known by; null for one that registered itself. */
const ownHost = ({ client: { id } }: AccessRequest): string | null => (id.startsWith('https://') ? hostOf(id) : null);

export const programRoutes = (parts: AppParts): DashboardRoute[] => {
  const { oauth, directory } = parts;
  // The settings ask for the list wherever they are.
  if (oauth === null) return [get('/app/programs', 'self', () => ok<Programs>({ data: [] }))];
  return [
    post('/app/programs/ask', 'self', async ({ body }) => {
      const request = await requestIn(oauth, body);
      const { client, redirect, scopes } = request;
      return ok<ProgramAsks>({ name: client.name, ownHost: ownHost(request), host: hostOf(redirect), scopes });
    }),

    post('/app/programs/allow', 'self', async (call, login) => {
      const { body } = call;
      const request = await requestIn(oauth, body);
      // Nobody gives more than was asked for, and reading is always asked for.
      const { scopes: given = [] } = textsOf(body, 'scopes');
      const scopes = grantableScopes.filter(
        scope => scope === 'read' || (request.scopes.includes(scope) && given.includes(scope)),
      );
      const own = new Set(readableSites(login, directory).map(({ uuid }) => uuid));
      const { sites = null } = body.sites === null ? {} : textsOf(body, 'sites');
      if (sites !== null && (sites.length === 0 || !sites.every(uuid => own.has(uuid))))
        throw new HttpError('app-bad-value', { error: 'Choose sites from the list.', field: 'sites' });
      noteFor(call, login, 'program-allowed', `${request.client.name}, ${hostOf(request.redirect)}`);
      return ok<GoTo>({
        location: oauth.allow(request, { personId: login.person.id, scopes, sites: sites && [...sites] }),
      });
    }),

    post('/app/programs/deny', 'self', async ({ body }) =>
      ok<GoTo>({ location: oauth.deny(await requestIn(oauth, body)) }),
    ),

    get('/app/programs', 'self', (_, { person }) =>
      ok<Programs>({ data: oauth.grants.ofPerson(person.id).map(programView).reverse() }),
    ),

    post('/app/programs/:id/remove', 'self', (call, login) => {
      const own = oauth.grants.ofPerson(login.person.id);
      const grant = own.find(({ id }) => String(id) === call.parameters.id);
      if (grant === undefined) throw new HttpError('app-no-program');
      oauth.grants.remove(grant.id);
      noteFor(call, login, 'program-removed', `${grant.clientName}, ${hostOf(grant.redirect)}`);
      return isDone();
    }),
  ];
};
