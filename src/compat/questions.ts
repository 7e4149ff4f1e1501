/**
 * The questions of other products' clients: who may ask, and in whose words an error is told. They
 * are answered by the API's own queries, with its bounds and its rights; public pages cannot ask
 * here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from '../api/api.ts';
import type { ProgramLogins } from '../api/auth.ts';
import { accountTurn } from '../http/account-turn.ts';
import { HttpError } from '../http/errors.ts';
import { fieldsBytesMax, readJson } from '../http/json-body.ts';
import { goneSignal, type Reply, respond } from '../http/reply.ts';
import { createRouter, type FoundRoute, searchOf } from '../http/router.ts';
import type { Log } from '../log.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { questionFamilies } from './families.ts';
import type { QuestionFamily, QuestionRoute } from './question-family.ts';

export interface QuestionParts {
  access: Access;
  directory: Pick<SiteDirectory, 'refresh'>;
  logins: ProgramLogins;
  /** UTC milliseconds. */
  now: () => number;
  log: Log;
}

export type Questions = ReturnType<typeof createQuestions>;

const routers = questionFamilies.map(family => ({ family, find: createRouter(family.routes) }));

export const createQuestions = ({ access, directory, logins, now, log }: QuestionParts) => {
  const answer = async (
    request: IncomingMessage,
    family: QuestionFamily,
    { route, parameters, allow }: FoundRoute<QuestionRoute>,
    signal: AbortSignal,
  ): Promise<Reply> => {
    if (route === undefined) throw new HttpError('method-not-allowed', {}, { allow });
    directory.refresh();
    const common = {
      request,
      parameters,
      search: searchOf(request.url),
      body: () => readJson(request, fieldsBytesMax, 'app-too-large'),
      logins,
      now: now(),
    };
    if (route.access === 'anybody') return route.answer(common);
    const caller = family.callerOf(request, access, logins);
    access.refuseUnpaid(caller);
    await accountTurn(caller.account.id);
    return route.answer({
      ...common,
      caller,
      sites: () => access.sitesOf(caller),
      site: name => access.siteFor(caller, name, signal),
    });
  };

  return {
    /** Answers a request to a path of a family; false, and nothing done, for any other path. */
    handle(request: IncomingMessage, response: ServerResponse, path: string) {
      for (const { family, find } of routers) {
        const found = find(request.method, path);
        if (found === undefined) continue;
        const reply = answer(request, family, found, goneSignal(response)).catch(error =>
          family.errorReply(access.httpErrorOf(error)),
        );
        respond(request, response, reply, log);
        return true;
      }
      return false;
    },
  };
};
