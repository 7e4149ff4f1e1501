/** `daybook member …`: who is in which team, as what. */
import { memberParts } from '../model/grant.ts';
import { type MemberRole, memberRoles } from '../model/person.ts';
import type { HideablePart } from '../model/public-parts.ts';
import { isLimitable } from '../model/rights.ts';
import type { Account } from '../model/site.ts';
import { emailOf } from '../model/values.ts';
import { refuseLastOwner } from '../store/accounts/last-owner.ts';
import { type Member, members } from '../store/accounts/members.ts';
import { persons } from '../store/accounts/persons.ts';
import type { Database } from '../store/database.ts';
import { sites } from '../store/sites.ts';
import { noteByCommand } from './audit.ts';
import { CommandError, command, UsageError } from './command.ts';
import { accountFlag, listFlag, textFlag } from './flags.ts';
import { listing } from './format.ts';
import { accountNamed, siteWithHits } from './lookup.ts';
import { personNamed } from './persons.ts';
import { oneOf } from './typed.ts';

const partsOf = (typed: readonly string[]): HideablePart[] => {
  const unknown = typed.find(name => !memberParts.some(part => part === name));
  if (unknown !== undefined) throw new UsageError(`--hide takes ${memberParts.join(', ')}.`);
  return memberParts.filter(part => typed.includes(part));
};

const placeFlags = {
  site: listFlag('DOMAIN', 'A site that they may read, and no others; all where none is given'),
  hide: listFlag('PART', 'What they do not see, such as visits or revenue', partsOf),
} as const;
const roleFlag = textFlag(
  'ROLE',
  memberRoles.join(', '),
  oneOf(memberRoles, () => `--role is one of ${memberRoles.join(', ')}.`),
);

const summaryOf = (db: Database, account: Account, { personId, role, sites: uuids, hidden }: Member) => ({
  email: persons(db).byId(personId)!.email,
  account: account.name,
  role,
  sites:
    uuids &&
    sites(db)
      .list(account.id)
      .flatMap(({ uuid, domain }) => (uuids.includes(uuid) ? domain : [])),
  hidden,
});

/** What flags say of the sites and parts of somebody with a role. Throws UsageError. */
const limitsOf = (
  db: Database,
  account: Account,
  role: MemberRole,
  { site, hide }: { site: readonly string[] | undefined; hide: HideablePart[] | undefined },
): Pick<Member, 'sites' | 'hidden'> => {
  if (!isLimitable(role)) {
    if (site !== undefined || hide !== undefined)
      throw new UsageError('Owners and admins see all of a team: --site and --hide are for editors and viewers.');
    return { sites: null, hidden: [] };
  }
  return {
    sites: site === undefined ? null : site.map(domain => siteWithHits(db, domain, account.name).uuid),
    hidden: hide ?? (role === 'viewer' ? ['visits'] : []),
  };
};

const memberList = command({
  name: 'member list',
  flags: accountFlag,
  summary: 'List the members of a team',
  run: ({ db }, { flags }) => {
    const account = accountNamed(db, flags.account);
    return listing(
      members(db)
        .ofAccount(account.id)
        .map(member => summaryOf(db, account, member)),
      {
        'E-MAIL': 'email',
        ROLE: 'role',
        SITES: member => (member.sites === null ? 'all' : member.sites.join(', ')),
        HIDDEN: ({ hidden }) => hidden.join(', '),
      },
      'There are no members yet.',
    );
  },
});

const memberSet = (name: 'member add' | 'member set', summary: string) =>
  command({
    name,
    operands: { EMAIL: emailOf },
    flags: { ...accountFlag, role: { ...roleFlag, required: true }, ...placeFlags },
    summary,
    details:
      'The person is one of daybook person list. A viewer sees no single visits, and whoever names parts with --hide says all of them. A site that is removed is taken off the list of whom it is for.',
    database: 'change',
    run: ({ db, now }, { operands: { EMAIL: email }, flags }) => {
      const account = accountNamed(db, flags.account);
      const person = personNamed(db, email);
      const was = members(db).find(account.id, person.id);
      if (was !== undefined && name === 'member add')
        throw new CommandError(`${email} is a member of ${account.name} already: daybook member set changes it.`);
      if (was === undefined && name === 'member set')
        throw new CommandError(`${email} is no member of ${account.name}: daybook member add makes one.`);
      const limits = limitsOf(db, account, flags.role, flags);
      const member = { accountId: account.id, personId: person.id, role: flags.role, ...limits, createdAt: now() };
      change(db, account, () => members(db).set(member));
      const action = was === undefined ? 'joined' : 'role-changed';
      noteByCommand(db, now(), { accountId: account.id, action, subject: email, details: { role: flags.role } });
      return { json: summaryOf(db, account, member), text: `${email} is ${flags.role} of ${account.name}.` };
    },
  });

/** Makes a change after which the team still has an owner. Throws CommandError. */
const change = (db: Database, account: Account, work: () => void): void =>
  db
    .transaction(() => {
      const had = members(db).ofAccount(account.id).length > 0;
      work();
      const problem = () => new CommandError(`${account.name} needs an owner: make somebody else an owner first.`);
      if (had) refuseLastOwner(db, account.id, problem);
    })
    .immediate();

const memberRemove = command({
  name: 'member remove',
  operands: { EMAIL: emailOf },
  flags: accountFlag,
  summary: 'Take a person out of a team, effective immediately',
  database: 'change',
  run: ({ db, now }, { operands: { EMAIL: email }, flags }) => {
    const account = accountNamed(db, flags.account);
    const person = personNamed(db, email);
    if (members(db).find(account.id, person.id) === undefined)
      throw new CommandError(`${email} is no member of ${account.name}.`);
    change(db, account, () => members(db).remove(account.id, person.id));
    noteByCommand(db, now(), { accountId: account.id, action: 'removed', subject: email });
    return { json: { email, account: account.name, removed: true }, text: `Took ${email} out of ${account.name}.` };
  },
});

export const memberCommands = [
  memberList,
  memberSet('member add', 'Make a person a member of a team'),
  memberSet('member set', 'Change what a member is and sees'),
  memberRemove,
];
