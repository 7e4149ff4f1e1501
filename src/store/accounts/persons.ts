/** People who sign in. Their passwords are in credentials.ts. */
import { type LocaleChoice, noLocaleChoice } from '../../model/locale.ts';
import type { Person } from '../../model/person.ts';
import type { Database } from '../database.ts';
import { rowValues } from '../row-values.ts';
import { orUniqueViolation } from '../unique-violation.ts';
import { endOfAccess } from './logins.ts';

export interface Persons {
  /** By e-mail. */
  list(): Person[];
  byId(id: number): Person | undefined;
  byUuid(uuid: string): Person | undefined;
  /** `email` in lower case. */
  ofEmail(email: string): Person | undefined;
  /** Somebody without a password. Throws UniqueViolation when there is a person of that e-mail. */
  add(email: string, now: number): Person;
  setLocale(id: number, locale: LocaleChoice): void;
  setName(id: number, name: string): void;
  setOperator(id: number, isOperator: boolean): void;
  /** Null lets them in again. Whoever is disabled is signed out everywhere, with their programs. */
  setDisabled(id: number, at: number | null): void;
  /** With all that is theirs: logins, memberships, factors. */
  remove(id: number): void;
}

export const persons = (db: Database): Persons => {
  const fields = `id, uuid, email, name, locale, is_operator as isOperator, disabled_at as disabledAt,
    created_at as createdAt`;
  const by = (column: string) => db.prepare(`select ${fields} from person where ${column} = ?`);
  const [byId, byUuid, byEmail] = [by('id'), by('uuid'), by('email')];
  const all = db.prepare(`select ${fields} from person order by email`);
  const insert = db.prepare(`insert into person (email, created_at) values (?, ?) returning ${fields}`);
  const set = (column: string) => db.prepare(`update person set ${column} = ? where id = ?`);
  const [setLocale, setName, setOperator] = [set('locale'), set('name'), set('is_operator')];
  const setDisabled = set('disabled_at');
  const endAccess = endOfAccess(db);
  const remove = db.prepare('delete from person where id = ?');
  const read = (row: unknown): Person | undefined => (row === undefined ? undefined : personOf(row));
  return {
    list: () => all.all().map(personOf),
    byId: id => read(byId.get(id)),
    byUuid: uuid => read(byUuid.get(uuid)),
    ofEmail: email => read(byEmail.get(email)),
    add: (email, now) =>
      orUniqueViolation(
        () => read(insert.get(email, now))!,
        () => takenEmail(email),
      ),
    setLocale: (id, locale) => void setLocale.run(JSON.stringify(locale), id),
    setName: (id, name) => void setName.run(name, id),
    setOperator: (id, isOperator) => void setOperator.run(isOperator ? 1 : 0, id),
    setDisabled: db.transaction((id: number, at: number | null) => {
      setDisabled.run(at, id);
      if (at !== null) endAccess(id);
    }),
    remove: id => void remove.run(id),
  };
};

export const takenEmail = (email: string): string => `There is a person with the e-mail ${email} already.`;

const rows = rowValues<Person>({ locale: 'json', isOperator: 'flag' });
/** What the choice does not name follows the browser. */
const personOf = (row: unknown): Person => {
  const person = rows.read(row);
  return { ...person, locale: { ...noLocaleChoice, ...person.locale } };
};
