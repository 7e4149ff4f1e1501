/** For operators: everybody who signs in, and keeping them from it. */
import { HttpError } from '../http/errors.ts';
import type { Person } from '../model/person.ts';
import { isoTimeOrNull } from '../model/time.ts';
import { soleOwnerOf } from '../store/accounts/last-owner.ts';
import type { AppParts } from './parts.ts';
import { requireProof } from './proof.ts';
import { type Call, type DashboardRoute, get, ok, post } from './route.ts';
import type { Login } from './sessions.ts';
import type { ListedPerson, PersonList } from './wire.ts';

export const personRoutes = (parts: AppParts): DashboardRoute[] => {
  const { accounts, db, logins, members, persons, now } = parts;
  const viewOf = ({ id, uuid, email, name, isOperator, disabledAt }: Person): ListedPerson => ({
    ...{ id: uuid, email, name, isOperator, isDisabled: disabledAt !== null },
    teams: members.ofPerson(id).map(({ accountId, role }) => ({ name: accounts.byId(accountId)!.name, role })),
    lastSeenAt: isoTimeOrNull(logins.lastUsed(id)),
  });
  const list = () => ok<PersonList>({ data: persons.list().map(viewOf) });

  const named = ({ parameters }: Call): Person => {
    const found = persons.byUuid(parameters.person ?? '');
    if (found === undefined) throw new HttpError('app-no-person');
    return found;
  };
  /** Each team of the person hears of it. */
  const noteFor = ({ note }: Call, by: Login, { id, email }: Person, action: 'disabled' | 'enabled'): void => {
    const teams = members.ofPerson(id).map(({ accountId }) => accountId);
    for (const accountId of teams.length === 0 ? [null] : teams)
      note({ person: by.person, accountId, action, subject: email });
  };

  return [
    get('/app/persons', 'operator', list),

    post('/app/persons/:person/disable', 'operator', (call, login) => {
      const person = named(call);
      if (person.id === login.person.id) throw new HttpError('app-yourself');
      requireProof(parts, login);
      db.transaction(() => {
        if (soleOwnerOf(db, person.id).length > 0) throw new HttpError('app-last-owner');
        persons.setDisabled(person.id, now());
      }).immediate();
      noteFor(call, login, person, 'disabled');
      return list();
    }),

    post('/app/persons/:person/enable', 'operator', (call, login) => {
      const person = named(call);
      requireProof(parts, login);
      persons.setDisabled(person.id, null);
      noteFor(call, login, person, 'enabled');
      return list();
    }),
  ];
};
