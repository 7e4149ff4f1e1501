/** Invites people to a team by a link, which works once and for one e-mail alone. */
import { HttpError } from '../http/errors.ts';
import { createRateLimit, refuseWaiting } from '../http/rate-limit.ts';
import { makeToken } from '../model/ids.ts';
import { openInvitationsMax } from '../model/limits.ts';
import { hourMs, isoTime } from '../model/time.ts';
import { emailOf, nameOf } from '../model/values.ts';
import type { Invitation } from '../store/accounts/invitations.ts';
import type { InTeam } from './allow.ts';
import { asTyped, type Body, field, optional } from './fields.ts';
import { newPassword } from './new-password.ts';
import { refuseOfProvider } from './oidc/who.ts';
import type { AppParts } from './parts.ts';
import { placeOf, refuseAbove, usualPlace } from './place.ts';
import { type Call, type DashboardRoute, done, ok, openPost, post } from './route.ts';
import type { InvitationMade, InvitationOffer, InvitationView, Me } from './wire.ts';

/** Of one person, in an hour. */
const invitingMax = 20;

export const invitationRoutes = (parts: AppParts): DashboardRoute[] => {
  const { members, persons, invitations, auditor, now, random } = parts;
  const inviting = createRateLimit({ now, max: invitingMax, windowMs: hourMs });

  const refuseTired = (personId: number): void =>
    refuseWaiting(inviting.take(String(personId)), 'app-too-many-attempts');
  /** Writes an invitation and answers with its link, which is shown only this once. */
  const made = ({ request, origin }: Call, on: InTeam, given: Omit<Invitation, 'id' | 'expiresAt'>) => {
    const token = makeToken(random);
    const invitation = invitations.put(given, token, now());
    const { email: subject, role, sites, hidden } = given;
    const of = { request, person: on.person, accountId: on.account.id };
    auditor.note({ ...of, action: 'invited', subject, details: { role, sites, hidden } });
    return ok<InvitationMade>({ ...invitationView(invitation), url: `${origin}/invitation#${token}` });
  };
  const named = ({ account }: InTeam, id: string | undefined): Invitation => {
    const found = invitations.ofAccount(account.id, now()).find(one => String(one.id) === id);
    if (found === undefined) throw new HttpError('app-no-invitation');
    return found;
  };

  return [
    post('/app/teams/:team/invitations', 'members', (call, on) => {
      const email = field(call.body, 'email', emailOf);
      const place = placeOf(call.body, usualPlace, on, parts);
      refuseAbove(parts, on, place.role);
      const person = persons.ofEmail(email);
      if (person !== undefined && members.find(on.account.id, person.id) !== undefined)
        throw new HttpError('app-is-member', { field: 'email' });
      const open = invitations.ofAccount(on.account.id, now());
      if (open.length >= openInvitationsMax && open.every(one => one.email !== email))
        throw new HttpError('app-too-many-invitations', { field: 'email' });
      refuseTired(on.person.id);
      return made(call, on, {
        accountId: on.account.id,
        email,
        invitedBy: on.person.email,
        madeBy: on.person.id,
        ...place,
      });
    }),

    post('/app/teams/:team/invitations/:invitation/again', 'members', (call, on) => {
      const { id: _, expiresAt: __, ...given } = named(on, call.parameters.invitation);
      refuseAbove(parts, on, given.role);
      refuseTired(on.person.id);
      return made(call, on, { ...given, invitedBy: on.person.email, madeBy: on.person.id });
    }),

    post('/app/teams/:team/invitations/:invitation/remove', 'members', ({ request, parameters }, on) => {
      const { id, email: subject, role } = named(on, parameters.invitation);
      refuseAbove(parts, on, role);
      invitations.remove(on.account.id, id);
      const of = { request, person: on.person, accountId: on.account.id };
      auditor.note({ ...of, action: 'invitation-removed', subject });
      return done();
    }),

    ...acceptRoutes(parts),
  ];
};

/** What whoever has the link does. */
const acceptRoutes = (parts: AppParts): DashboardRoute[] => {
  const { accounts, credentials, members, persons, invitations, passwords, directory } = parts;
  const { auditor, db, entrance, views, ways, now } = parts;

  const ofLink = (body: Body): Invitation => {
    const found = invitations.ofToken(field(body, 'token', asTyped), now());
    if (found === undefined) throw new HttpError('app-dead-link');
    return found;
  };
  const domainsOf = ({ accountId, sites }: Invitation): string[] | null =>
    sites && directory.ofAccount(accountId).flatMap(({ uuid, domain }) => (sites.includes(uuid) ? domain : []));

  /** Makes the person a member, and a new one where there is none. Gives their id. */
  const join = db.transaction((body: Body, name: string, record: string | null): number => {
    // Somebody else may have used it while the password was hashed.
    const { id, accountId, email, role, sites, hidden } = ofLink(body);
    const known = persons.ofEmail(email);
    if ((known === undefined) !== (record !== null)) throw new HttpError('app-dead-link');
    const person = known ?? persons.add(email, now());
    if (record !== null) {
      credentials.set({ personId: person.id, email, password: record });
      persons.setName(person.id, name);
    }
    invitations.remove(accountId, id);
    // Whoever became a member meanwhile stays what they are.
    if (members.find(accountId, person.id) === undefined)
      members.set({ accountId, personId: person.id, role, sites, hidden, createdAt: now() });
    return person.id;
  });

  return [
    openPost('/app/invitation', ({ body }) => {
      const invitation = ofLink(body);
      const { accountId, email, role, invitedBy } = invitation;
      return ok<InvitationOffer>({
        ...{ team: accounts.byId(accountId)!.name, email, role, invitedBy },
        sites: domainsOf(invitation),
        hasPerson: persons.ofEmail(email) !== undefined,
      });
    }),

    openPost('/app/invitation/accept', async call => {
      const { request, body } = call;
      const { accountId, email, role } = ofLink(body);
      const login = call.login();
      if (login !== undefined && login.person.email !== email) throw new HttpError('app-other-person');
      const isNew = persons.ofEmail(email) === undefined;
      if (!isNew && login === undefined) throw new HttpError('app-signed-out');
      const { name = '' } = body.name === '' ? {} : optional(body, 'name', nameOf);
      if (isNew && !ways.password) throw new HttpError('app-passwords-off');
      if (isNew) refuseOfProvider(parts.oidc, email);
      const record = isNew ? await passwords.record(await newPassword(body, 'password', email)) : null;
      const personId = join.immediate(body, name, record);
      auditor.note({ request, person: { id: personId, email }, accountId, action: 'joined', details: { role } });
      // Who is signed in already stays so, by what they proved.
      if (login !== undefined) return ok<Me>(views.me(call.login()!, call.origin));
      return entrance.answer({ personId, method: 'password' }, call);
    }),
  ];
};

export const invitationView = ({
  id,
  email,
  role,
  sites,
  hidden,
  invitedBy,
  expiresAt,
}: Invitation): InvitationView => ({
  ...{ id: String(id), email, role, sites, hidden, invitedBy },
  expiresAt: isoTime(expiresAt),
});
