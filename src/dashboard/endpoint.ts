/** What an endpoint under /app is: a row of a table, with everything that finding it and answering it needs. */
import type { IncomingMessage } from 'node:http';
import { json, type Reply } from '../api/reply.ts';
import type { Account } from '../model/site.ts';
import type { Body } from './body.ts';
import type { Done } from './wire.ts';

/** Who is signed in, and by which token. */
export interface Login {
  account: Account;
  token: string;
}

/** One request, checked: the body is `{}` for a GET. */
export interface Call {
  request: IncomingMessage;
  /** Where the person sees the dashboard, without a slash at its end. */
  origin: string;
  /** What stands in the place of `:name` in the path. */
  parameters: Readonly<Record<string, string>>;
  body: Body;
}

export type Endpoint = { method: 'GET' | 'POST'; path: string } & (
  | { for: 'anybody'; answer: (call: Call) => Reply | Promise<Reply> }
  | { for: 'account'; answer: (call: Call, login: Login) => Reply | Promise<Reply> }
);

type Answer = Extract<Endpoint, { for: 'account' }>['answer'];

/** An endpoint for who is signed in. */
export const get = (path: string, answer: Answer): Endpoint => ({ method: 'GET', path, for: 'account', answer });
export const post = (path: string, answer: Answer): Endpoint => ({ method: 'POST', path, for: 'account', answer });
/** An endpoint for those who are not signed in, or not yet. */
export const openPost = (path: string, answer: (call: Call) => Reply | Promise<Reply>): Endpoint => ({
  method: 'POST',
  path,
  for: 'anybody',
  answer,
});

/** An answer whose shape wire.ts gives. */
export const ok = <T extends object>(body: T, headers: Record<string, string> = {}): Reply => json(200, body, headers);
export const done = (headers: Record<string, string> = {}): Reply => ok<Done>({ done: true }, headers);
