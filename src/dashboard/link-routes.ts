/**
 * One-time links, by which people set their e-mail and password without knowing any, or become the
 * owner of an account that has none.
 */

import { asTyped, field, unlessTaken } from '../api/changes/fields.ts';
import { HttpError } from '../http/errors.ts';
import { emailOf } from '../model/values.ts';
import type { LinkOwner } from '../store/accounts/sign-in-links.ts';
import { newPassword, revocationOf, revoke } from './new-password.ts';
import { refuseOfProvider } from './oidc/who.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, ok, openPost } from './route.ts';
import type { LinkView } from './wire.ts';

export const linkRoutes = (parts: AppParts): DashboardRoute[] => {
  const { accounts, credentials, logins, links, members, passwords, persons, now } = parts;

  /** Whom a one-time link is for. */
  const ownerOfLink = (token: string): LinkOwner => {
    const owner = links.find(token, now());
    if (owner === undefined) throw new HttpError('app-dead-link');
    return owner;
  };
  /** The first team of a person, whose name the page of a link shows. */
  const accountIdOf = ({ personId, accountId }: LinkOwner): number | undefined =>
    personId === null ? accountId! : members.ofPerson(personId)[0]?.accountId;

  /** Makes the e-mail and password those of whom the link is for. Gives the person's id. */
  const useLink = parts.db.transaction((token: string, email: string, password: string): number => {
    // Somebody else may have used it meanwhile.
    const { personId, accountId } = ownerOfLink(token);
    if (personId !== null) {
      if (email !== parts.persons.byId(personId)!.email) refuseOfProvider(parts.oidc, email);
      credentials.set({ personId, email, password });
      links.remove(personId);
      logins.endAll(personId);
      return personId;
    }
    const isFirst = !credentials.any();
    const { id } = persons.add(email, now());
    credentials.set({ personId: id, email, password });
    if (isFirst) persons.setOperator(id, true);
    const everything = { sites: null, hidden: [], createdAt: now() };
    members.set({ accountId: accountId!, personId: id, role: 'owner', ...everything });
    return id;
  });

  return [
    openPost('/app/link', ({ body }) => {
      const owner = ownerOfLink(field(body, 'token', asTyped));
      const accountId = accountIdOf(owner);
      return ok<LinkView>({
        account: accountId === undefined ? '' : accounts.byId(accountId)!.name,
        email: owner.personId === null ? null : persons.byId(owner.personId)!.email,
      });
    }),

    openPost('/app/link/use', async call => {
      const { body } = call;
      const token = field(body, 'token', asTyped);
      const owner = ownerOfLink(token);
      const email = field(body, 'email', emailOf);
      const revocation = revocationOf(body);
      const record = await passwords.record(await newPassword(body, 'password', email));
      const personId = unlessTaken('email', () => useLink.immediate(token, email, record));
      const person = { id: personId, email };
      call.note({ person, accountId: null, action: 'link-used' });
      if (owner.accountId !== null)
        call.note({ person, accountId: owner.accountId, action: 'joined', details: { role: 'owner' } });
      revoke(parts, parts.sessions.grantsOf(personId), revocation);
      return parts.entrance.answerFirst({ personId, method: 'link' }, call);
    }),
  ];
};
