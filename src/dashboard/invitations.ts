/** Invites people to a team by a link, which works once and for one e-mail alone. */

import { asTyped, field, optional } from '../api/changes/fields.ts';
import { invite, type MadeInvitation, putInvitation, removeInvitation } from '../api/changes/member-changes.ts';
import { refuseAbove } from '../api/changes/place.ts';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { createRateLimit, refuseWaiting } from '../http/rate-limit.ts';
import { isDone } from '../http/reply.ts';
import { languageDefault } from '../model/locale.ts';
import { oneLine } from '../model/one-line.ts';
import { hourMs, isoTime } from '../model/time.ts';
import { emailOf, nameOf } from '../model/values.ts';
import { renderMail } from '../reports/render.ts';
import { reportWords } from '../reports/words.ts';
import type { Invitation } from '../store/accounts/invitations.ts';
import { outboxStore } from '../store/outbox.ts';
import type { InTeam } from './allow.ts';
import { byOf } from './by.ts';
import { newPassword } from './new-password.ts';
import { refuseOfProvider } from './oidc/who.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, ok, openPost, post } from './route.ts';
import type { InvitationMade, InvitationOffer, InvitationView, Me } from './wire.ts';

/** Of one person, in an hour. */
const invitingMax = 20;

export const invitationRoutes = (parts: AppParts): DashboardRoute[] => {
  const { invitations, now } = parts;
  const inviting = createRateLimit({ now, max: invitingMax, windowMs: hourMs });

  const refuseTired = (personId: number): void =>
    refuseWaiting(inviting.take(String(personId)), 'app-too-many-attempts');
  /** The link is shown only this once, and mailed where a server for mail is set. */
  const shown = (on: InTeam, { invitation, url }: MadeInvitation) => {
    if (parts.mail !== null) {
      mailInvitation(parts, on, invitation, url);
      parts.mail.wake();
    }
    return ok<InvitationMade>({ ...invitationView(invitation), url, mailed: parts.mail !== null });
  };
  const named = ({ account }: InTeam, id: string | undefined): Invitation => {
    const found = invitations.ofAccount(account.id, now()).find(one => String(one.id) === id);
    if (found === undefined) throw new HttpError('app-no-invitation');
    return found;
  };

  return [
    post('/app/teams/:team/invitations', 'members', (call, on) => {
      const email = field(call.body, 'email', emailOf);
      return shown(
        on,
        invite(parts, byOf(parts, call, on), email, call.body, () => refuseTired(on.person.id)),
      );
    }),

    post('/app/teams/:team/invitations/:invitation/again', 'members', (call, on) => {
      const given = named(on, call.parameters.invitation);
      const by = byOf(parts, call, on);
      refuseAbove(by, given.role);
      refuseTired(on.person.id);
      const { email, role, sites, hidden } = given;
      return shown(on, putInvitation(parts, by, { email, role, sites, hidden }));
    }),

    post('/app/teams/:team/invitations/:invitation/remove', 'members', (call, on) => {
      removeInvitation(parts, byOf(parts, call, on), named(on, call.parameters.invitation));
      return isDone();
    }),

    ...acceptRoutes(parts),
  ];
};

/** In the language of whoever invites: that of the other is not known. */
const mailInvitation = (
  { db, now }: AppParts,
  { account, person }: InTeam,
  { id, email }: Invitation,
  url: string,
): void => {
  const language = person.locale.language ?? languageDefault;
  const words = reportWords[language].invite;
  const [team, by] = [oneLine(account.name), oneLine(person.email)];
  const subject = words.subject(team);
  const document = { language, subject, title: subject, lead: [words.text(by, team)], sections: [], foot: [] };
  const body = renderMail({ ...document, button: { label: words.button, url } });
  const of = { kind: 'mail', accountId: account.id, target: email, isUrgent: true };
  outboxStore(db).add({ key: `invitation:${id}`, ...of, body }, now());
};

/** What whoever has the link does. */
const acceptRoutes = (parts: AppParts): DashboardRoute[] => {
  const { accounts, credentials, members, persons, invitations, passwords, directory } = parts;
  const { db, entrance, views, ways, now } = parts;

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
      const { body } = call;
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
      call.note({ person: { id: personId, email }, accountId, action: 'joined', details: { role } });
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
