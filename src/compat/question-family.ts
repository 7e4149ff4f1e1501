/** What a family of questions is made of. */
import type { IncomingMessage } from 'node:http';
import type { Access } from '../api/api.ts';
import type { Caller, ProgramLogins } from '../api/auth.ts';
import type { HttpError } from '../http/errors.ts';
import type { Reply } from '../http/reply.ts';
import type { PathParameters, Route } from '../http/router.ts';
import type { Site } from '../model/site.ts';

export interface QuestionFamily {
  routes: readonly QuestionRoute[];
  /** Who asks. Throws HttpError for somebody who may not. */
  callerOf(request: IncomingMessage, access: Access, logins: ProgramLogins): Caller;
  /** How the family's clients are told of an error. */
  errorReply(error: HttpError): Reply;
}

export type QuestionRoute = Route &
  (
    | { access: 'anybody'; answer(call: OpenCall): Reply | Promise<Reply> }
    | { access: 'key'; answer(call: QuestionCall): Reply | Promise<Reply> }
  );

/** A request of anybody. */
export interface OpenCall {
  request: IncomingMessage;
  parameters: PathParameters;
  search: URLSearchParams;
  /** The JSON of its body; undefined where it is none. */
  body(): Promise<unknown>;
  logins: ProgramLogins;
  /** UTC milliseconds. */
  now: number;
}

/** A request of somebody who may ask. */
export interface QuestionCall extends OpenCall {
  caller: Caller;
  /** All sites that the caller may read, by domain. */
  sites(): Site[];
  /** A site by any of its names. Throws HttpError when there is none. */
  site(name: string): ReturnType<Access['siteFor']>;
}
