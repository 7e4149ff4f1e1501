/** `daybook person …`: people who sign in. */
import { baseUrlOf } from '../config.ts';
import { makeToken, type Random } from '../model/ids.ts';
import { suggestion } from '../model/nearest.ts';
import type { Person } from '../model/person.ts';
import { emailOf } from '../model/values.ts';
import { accounts } from '../store/accounts/accounts.ts';
import { soleOwnerOf } from '../store/accounts/last-owner.ts';
import { logins } from '../store/accounts/logins.ts';
import { members } from '../store/accounts/members.ts';
import { passkeys } from '../store/accounts/passkeys.ts';
import { persons } from '../store/accounts/persons.ts';
import { secondFactors } from '../store/accounts/second-factors.ts';
import { linkMs, signInLinks } from '../store/accounts/sign-in-links.ts';
import type { Database } from '../store/database.ts';
import { noteByCommand } from './audit.ts';
import { CommandError, command } from './command.ts';
import { settingFlag, switchFlag } from './flags.ts';
import { formatTime, isoTime, listing } from './format.ts';

/** The person of that e-mail. Throws CommandError when there is none. */
export const personNamed = (db: Database, email: string): Person => {
  const found = persons(db).ofEmail(email);
  if (found !== undefined) return found;
  const emails = persons(db)
    .list()
    .map(person => person.email);
  throw new CommandError(`There is no person ${email}.${suggestion(email, emails)}`);
};

const summaryOf = (db: Database, { email, name, isOperator, disabledAt, createdAt, id }: Person) => ({
  ...{ email, name, isOperator },
  disabledAt: isoTime(disabledAt),
  createdAt: isoTime(createdAt),
  teams: members(db)
    .ofPerson(id)
    .map(({ accountId, role }) => ({ name: accounts(db).byId(accountId)!.name, role })),
});

const personList = command({
  name: 'person list',
  summary: 'List the people who sign in',
  run: ({ db }) =>
    listing(
      persons(db)
        .list()
        .map(person => summaryOf(db, person)),
      {
        'E-MAIL': 'email',
        NAME: 'name',
        TEAMS: ({ teams }) => teams.map(({ name, role }) => `${name} (${role})`).join(', '),
        OPERATOR: ({ isOperator }) => (isOperator ? 'yes' : ''),
        DISABLED: ({ disabledAt }) => (disabledAt === null ? '' : disabledAt.slice(0, 10)),
      },
      'There are no people yet.',
    ),
});

const baseUrlFlag = { 'base-url': settingFlag('baseUrl') } as const;

interface LinkContext {
  db: Database;
  now: () => number;
  random: Random;
}

/** Makes the one link of a person. */
const linkFor = ({ db, now, random }: LinkContext, person: Person, baseUrl: string) => {
  const token = makeToken(random);
  signInLinks(db).put(person.id, token, now());
  noteByCommand(db, now(), { accountId: null, action: 'link-made', subject: person.email });
  return { email: person.email, url: `${baseUrl}/set-password#${token}`, expiresAt: isoTime(now() + linkMs) };
};

const personAdd = command({
  name: 'person add',
  operands: { EMAIL: emailOf },
  flags: { ...baseUrlFlag, operator: switchFlag('They may make teams, and see the servers') },
  summary: 'Add a person, and print a link that sets their password',
  details: 'They are in no team before daybook member add.',
  database: 'create',
  run: (context, { operands: { EMAIL: email }, flags }) => {
    const { db, now, env } = context;
    const person = persons(db).add(email, now());
    if (flags.operator) persons(db).setOperator(person.id, true);
    const link = linkFor(context, person, baseUrlOf(env, flags));
    return {
      json: link,
      text: `${link.url}\n\nThis link sets the password of ${email}. It works once, within 7 days.`,
    };
  },
});

const personLink = command({
  name: 'person link',
  operands: { EMAIL: emailOf },
  flags: baseUrlFlag,
  summary: 'Print a link that sets the e-mail and password of a person',
  details: 'For a forgotten password. It replaces the link before, and whoever uses it is signed out elsewhere.',
  database: 'change',
  run: (context, { operands: { EMAIL: email }, flags }) => {
    const { db, now, env } = context;
    const link = linkFor(context, personNamed(db, email), baseUrlOf(env, flags));
    const until = formatTime(now() + linkMs);
    return { json: link, text: `${link.url}\n\nThis link is for ${email}. It works once, until ${until} UTC.` };
  },
});

/** Throws CommandError where a team would be left without an owner. */
const refuseSoleOwner = (db: Database, { id, email }: Person): void => {
  const names = soleOwnerOf(db, id).map(accountId => accounts(db).byId(accountId)!.name);
  if (names.length > 0)
    throw new CommandError(`${email} is the only owner of ${names.join(', ')}: make somebody else an owner first.`);
};

const personDisable = command({
  name: 'person disable',
  operands: { EMAIL: emailOf },
  summary: 'Keep a person from signing in, effective immediately',
  details: 'API keys that they made go on working: daybook key list shows them.',
  database: 'change',
  run: ({ db, now }, { operands: { EMAIL: email } }) => {
    const person = personNamed(db, email);
    refuseSoleOwner(db, person);
    persons(db).setDisabled(person.id, now());
    noteByCommand(db, now(), { accountId: null, action: 'disabled', subject: email });
    return { json: { email, disabled: true }, text: `${email} may not sign in any more.` };
  },
});

const personEnable = command({
  name: 'person enable',
  operands: { EMAIL: emailOf },
  summary: 'Let a person sign in again',
  database: 'change',
  run: ({ db, now }, { operands: { EMAIL: email } }) => {
    persons(db).setDisabled(personNamed(db, email).id, null);
    noteByCommand(db, now(), { accountId: null, action: 'enabled', subject: email });
    return { json: { email, disabled: false }, text: `${email} may sign in again.` };
  },
});

const personRemove = command({
  name: 'person remove',
  operands: { EMAIL: emailOf },
  summary: 'Remove a person from all teams, with all that is theirs',
  database: 'change',
  run: ({ db, now }, { operands: { EMAIL: email } }) => {
    const person = personNamed(db, email);
    refuseSoleOwner(db, person);
    persons(db).remove(person.id);
    noteByCommand(db, now(), { accountId: null, action: 'removed', subject: email });
    return { json: { email, removed: true }, text: `Removed ${email}.` };
  },
});

const personResetFactors = command({
  name: 'person reset-factors',
  operands: { EMAIL: emailOf },
  summary: 'Take away the authenticator app, recovery codes and passkeys of a person',
  details: 'For a lost phone. The person is signed out everywhere, and signs in with their password or provider alone.',
  database: 'change',
  run: ({ db, now }, { operands: { EMAIL: email } }) => {
    const person = persons(db).ofEmail(email);
    if (person === undefined) throw new CommandError(`There is no person with the e-mail ${email}.`);
    const keys = passkeys(db);
    const own = keys.ofPerson(person.id);
    const details = { app: secondFactors(db).find(person.id) !== undefined, passkeys: own.length };
    for (const { credentialId } of own) keys.remove(credentialId);
    secondFactors(db).remove(person.id);
    logins(db).endAll(person.id);
    noteByCommand(db, now(), { accountId: null, action: 'factor-removed', subject: email, details });
    return {
      json: { email, ...details },
      text: `${email} has no second factor and no passkeys any more, and was signed out everywhere.`,
    };
  },
});

export const personCommands = [
  ...[personList, personAdd, personLink, personDisable, personEnable, personRemove, personResetFactors],
];
