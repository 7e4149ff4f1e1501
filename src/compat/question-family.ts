/** What a family of questions is made of. */
import type { IncomingMessage } from 'node:http';
import type { Access } from '../api/api.ts';
import type { Caller } from '../api/auth.ts';
import type { HttpError } from '../http/errors.ts';
import type { Reply } from '../http/reply.ts';
import type { PathParameters, Route } from '../http/router.ts';
import type { Account, Site } from '../model/site.ts';

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

/** Logins of programs that have a password and keep no cookie. */
export interface ProgramLogins {
  /** Throws HttpError when nobody from where the request comes may try now. */
  refuseTired(request: IncomingMessage): void;
  /**
   * Signs in by an account's e-mail or name. Undefined where they or the password are wrong. Throws
   * HttpError after too many wrong passwords.
   */
  begin(
    request: IncomingMessage,
    name: string,
    password: string,
  ): Promise<{ account: Account; token: string } | undefined>;
  /** The account of a token, which ends with the password, and by itself when it is not used. */
  accountOf(token: string): Account | undefined;
  /** Signs a token out; nothing where it is none. */
  end(token: string): void;
}
