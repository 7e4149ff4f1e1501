/** What the provider changes of people: it brings them in, and says what they are in its team. */
import type { IncomingMessage } from 'node:http';
import { usualPlace } from '../../api/changes/place.ts';
import { HttpError } from '../../http/errors.ts';
import type { OidcSettings } from '../../model/oidc.ts';
import { isLimitable } from '../../model/rights.ts';
import type { Account } from '../../model/site.ts';
import type { Member } from '../../store/accounts/members.ts';
import type { AppParts } from '../parts.ts';
import { groupRole } from './who.ts';

type MembershipParts = Pick<
  AppParts,
  'accounts' | 'auditor' | 'credentials' | 'db' | 'directory' | 'invitations' | 'members' | 'now' | 'persons'
>;

export const createMemberships = (parts: MembershipParts, settings: OidcSettings) => {
  const { accounts, credentials, db, directory, invitations, members, now, persons } = parts;
  const note = roleNoter(parts);

  /** Throws HttpError where the settings name a team that there is not. */
  const team = (): Account => {
    const found = accounts.list().find(({ name }) => name === settings.account);
    if (found === undefined)
      throw new HttpError('app-not-found', { error: `OIDC_ACCOUNT: there is no account ${settings.account}` });
    return found;
  };

  const setRole = (
    { accountId, personId, role, sites }: Pick<Member, 'accountId' | 'personId' | 'role' | 'sites'>,
    request: IncomingMessage,
  ): void => {
    const before = members.find(accountId, personId);
    const owners = members
      .ofAccount(accountId)
      .filter(member => member.role === 'owner' && persons.byId(member.personId)?.disabledAt === null);
    // Somebody has to stay who may do everything.
    if (role !== 'owner' && owners.length === 1 && owners[0]!.personId === personId) return;
    const { createdAt = now() } = before ?? {};
    const usual = role === usualPlace.role ? usualPlace.hidden : [];
    const hidden = before !== undefined && isLimitable(before.role) && isLimitable(role) ? before.hidden : usual;
    const member = { accountId, personId, role, sites, hidden, createdAt };
    members.set(member);
    note(request, member, before);
  };

  const idsOf = (accountId: number, domains: readonly string[]): string[] =>
    directory
      .ofAccount(accountId)
      .filter(({ domain }) => domains.includes(domain))
      .map(({ uuid }) => uuid);

  return {
    isInvited: (email: string): boolean => invitations.ofEmail(email, now()).length > 0,
    /** Makes a person, with what their invitation or the settings make of them. Gives their id. */
    create: db.transaction((email: string, name: string, request: IncomingMessage) => {
      const { id } = persons.add(email, now());
      persons.setName(id, name.slice(0, 100));
      const open = invitations.ofEmail(email, now());
      for (const { id: invitation, accountId, role, sites, hidden } of open) {
        const member = { accountId, personId: id, role, sites, hidden, createdAt: now() };
        members.set(member);
        note(request, member, undefined);
        invitations.remove(accountId, invitation);
      }
      if (open.length === 0 && settings.groups === null)
        setRole({ accountId: team().id, personId: id, role: settings.role, sites: null }, request);
      return id;
    }),
    /** Where the settings name groups: makes the person in the team what the groups say. */
    followGroups: db.transaction(
      (personId: number, groups: readonly string[] | undefined, request: IncomingMessage) => {
        const found = groupRole(groups, settings);
        if (found === undefined) return;
        const { id } = team();
        const sites = found.sites === null ? null : idsOf(id, found.sites);
        setRole({ accountId: id, personId, role: found.role, sites }, request);
      },
    ),
    changeEmail(personId: number, email: string): void {
      const own = credentials.ofPerson(personId);
      if (own !== undefined) credentials.set({ ...own, email });
    },
  };
};

/** What the provider makes of somebody is in the audit of their team. */
const roleNoter = ({ auditor, persons }: Pick<AppParts, 'auditor' | 'persons'>) => {
  return (request: IncomingMessage, member: Member, was: Member | undefined): void => {
    const { accountId, personId, role, sites } = member;
    const isSame = was?.role === role && JSON.stringify(was.sites) === JSON.stringify(sites);
    if (isSame) return;
    const { email } = persons.byId(personId)!;
    const of = { request, person: { id: personId, email }, accountId, subject: email };
    const details = { role, sites, ...(was && { was: was.role }), method: 'oidc' };
    auditor.note({ ...of, action: was === undefined ? 'joined' : 'role-changed', details });
  };
};
