/** What the provider changes of people: it brings them in, and says what they are in its team. */
import { HttpError } from '../../http/errors.ts';
import type { OidcSettings } from '../../model/oidc.ts';
import type { MemberRole } from '../../model/person.ts';
import { isLimitable } from '../../model/rights.ts';
import type { Account } from '../../model/site.ts';
import type { AppParts } from '../parts.ts';
import { usualPlace } from '../place.ts';
import { groupRole } from './who.ts';

export interface Newcomers {
  isInvited(email: string): boolean;
  /** Makes a person, with what their invitation or the settings make of them. Gives their id. */
  create(email: string, name: string): number;
  /** Where the settings name groups: makes the person in the team what the groups say. */
  followGroups(personId: number, groups: readonly string[] | undefined): void;
  changeEmail(personId: number, email: string): void;
}

type NewcomerParts = Pick<
  AppParts,
  'accounts' | 'credentials' | 'db' | 'directory' | 'invitations' | 'members' | 'now' | 'persons'
>;

export const createNewcomers = (parts: NewcomerParts, settings: OidcSettings): Newcomers => {
  const { accounts, credentials, db, directory, invitations, members, now, persons } = parts;

  /** Throws HttpError where the settings name a team that there is not. */
  const team = (): Account => {
    const found = accounts.list().find(({ name }) => name === settings.account);
    if (found === undefined)
      throw new HttpError('app-not-found', { error: `OIDC_ACCOUNT: there is no account ${settings.account}` });
    return found;
  };

  const setRole = (accountId: number, personId: number, role: MemberRole, sites: string[] | null): void => {
    const before = members.find(accountId, personId);
    const owners = members
      .ofAccount(accountId)
      .filter(member => member.role === 'owner' && persons.byId(member.personId)?.disabledAt === null);
    // Somebody has to stay who may do everything.
    if (role !== 'owner' && owners.length === 1 && owners[0]!.personId === personId) return;
    const { createdAt = now() } = before ?? {};
    const usual = role === usualPlace.role ? usualPlace.hidden : [];
    const hidden = before !== undefined && isLimitable(before.role) && isLimitable(role) ? before.hidden : usual;
    members.set({ accountId, personId, role, sites, hidden, createdAt });
  };

  const idsOf = (accountId: number, domains: readonly string[]): string[] =>
    directory
      .ofAccount(accountId)
      .filter(({ domain }) => domains.includes(domain))
      .map(({ uuid }) => uuid);

  return {
    isInvited: email => invitations.ofEmail(email, now()).length > 0,
    create: db.transaction((email: string, name: string) => {
      const { id } = persons.add(email, now());
      persons.setName(id, name.slice(0, 100));
      const open = invitations.ofEmail(email, now());
      for (const { id: invitation, accountId, role, sites, hidden } of open) {
        members.set({ accountId, personId: id, role, sites, hidden, createdAt: now() });
        invitations.remove(accountId, invitation);
      }
      if (open.length === 0 && settings.groups === null) setRole(team().id, id, settings.role, null);
      return id;
    }),
    followGroups: db.transaction((personId: number, groups: readonly string[] | undefined) => {
      const found = groupRole(groups, settings);
      if (found === undefined) return;
      const { id } = team();
      setRole(id, personId, found.role, found.sites === null ? null : idsOf(id, found.sites));
    }),
    changeEmail(personId, email) {
      const own = credentials.ofPerson(personId);
      if (own !== undefined) credentials.set({ ...own, email });
    },
  };
};
