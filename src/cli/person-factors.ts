/** `daybook person reset-factors`: for somebody who lost their phone. */
import { emailOf } from '../model/values.ts';
import { logins } from '../store/accounts/logins.ts';
import { passkeys } from '../store/accounts/passkeys.ts';
import { persons } from '../store/accounts/persons.ts';
import { secondFactors } from '../store/accounts/second-factors.ts';
import { noteByCommand } from './audit.ts';
import { CommandError, command } from './command.ts';

export const personResetFactors = command({
  name: 'person reset-factors',
  operands: { EMAIL: emailOf },
  summary: 'Take away the authenticator app, recovery codes and passkeys of a person',
  details: 'For a lost phone. The person is signed out everywhere, and signs in with their password or provider alone.',
  database: 'change',
  run: ({ db, now }, { operands: { EMAIL } }) => {
    const person = persons(db).ofEmail(EMAIL);
    if (person === undefined) throw new CommandError(`There is no person with the e-mail ${EMAIL}.`);
    const keys = passkeys(db);
    const removed = keys.ofPerson(person.id).length;
    const hadApp = secondFactors(db).find(person.id) !== undefined;
    for (const { credentialId } of keys.ofPerson(person.id)) keys.remove(credentialId);
    secondFactors(db).remove(person.id);
    logins(db).endAll(person.id);
    const details = { app: hadApp, passkeys: removed };
    noteByCommand(db, now(), { accountId: null, action: 'factor-removed', subject: EMAIL, details });
    return {
      json: { email: EMAIL, app: hadApp, passkeys: removed },
      text: `${EMAIL} has no second factor and no passkeys any more, and was signed out everywhere.`,
    };
  },
});
