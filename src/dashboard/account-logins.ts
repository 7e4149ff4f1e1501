/** Where somebody is signed in, and ending it from afar. */
import { HttpError } from '../http/errors.ts';
import { isoTime } from '../model/time.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, get, ok, post } from './route.ts';
import type { Login } from './sessions.ts';
import type { LoginList } from './wire.ts';

export const loginRoutes = ({ loginLists: logins, now }: AppParts): DashboardRoute[] => {
  const listOf = ({ person, token }: Login): LoginList => {
    const own = logins.idOf(token);
    return {
      data: logins.list(person.id, now()).map(({ id, label, method, begunAt, usedAt }) => ({
        ...{ id, label, method, isThis: id === own },
        begunAt: begunAt === 0 ? null : isoTime(begunAt),
        usedAt: isoTime(usedAt),
      })),
    };
  };
  return [
    get('/app/account/logins', 'self', (_, login) => ok(listOf(login))),
    post('/app/account/logins/:login/end', 'self', ({ parameters }, login) => {
      if (!logins.endListed(login.person.id, parameters.login!)) throw new HttpError('app-no-login');
      return ok(listOf(login));
    }),
    post('/app/account/logins/end-others', 'self', (_, login) => {
      logins.endOthers(login.person.id, login.token);
      return ok(listOf(login));
    }),
  ];
};
