/** Finds the endpoint under /app that a request is for, and lets nobody in who may not. */
import type { IncomingMessage } from 'node:http';
import type { Reply } from '../api/reply.ts';
import { readBody } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { Failed } from './failure.ts';
import { originOf, refuseForeign } from './origin.ts';
import type { Sessions } from './sessions.ts';

export interface RouterParts {
  door: Sessions;
  baseUrl: string | null;
}

/** Answers a request; rejects with Failed for what cannot be done. */
export const createRouter = (
  { door, baseUrl }: RouterParts,
  endpoints: readonly Endpoint[],
): ((request: IncomingMessage, path: string) => Promise<Reply>) => {
  return async (request, path) => {
    const { endpoint, parameters } = find(endpoints, request.method === 'HEAD' ? 'GET' : request.method, path);
    const origin = originOf(request, baseUrl);
    const writes = endpoint.method === 'POST';
    if (writes) refuseForeign(request, origin);
    const call = { request, origin, parameters, body: writes ? await readBody(request) : {} };
    if (endpoint.for === 'anybody') return endpoint.answer(call);
    const login = door.loginOf(request);
    if (login === undefined) throw new Failed(401, 'You are not signed in.');
    return endpoint.answer(call, login);
  };
};

interface Match {
  endpoint: Endpoint;
  /** What stands for the `:names` of its path. */
  parameters: Record<string, string>;
}

const find = (endpoints: readonly Endpoint[], method: string | undefined, path: string): Match => {
  const matches = endpoints.flatMap((endpoint): Match[] => {
    const parameters = parametersOf(endpoint.path, path);
    return parameters === undefined ? [] : [{ endpoint, parameters }];
  });
  if (matches.length === 0) throw new Failed(404, 'There is nothing here.');
  const match = matches.find(({ endpoint }) => endpoint.method === method);
  if (match !== undefined) return match;
  const allow = matches.map(({ endpoint }) => (endpoint.method === 'GET' ? 'GET, HEAD' : endpoint.method)).join(', ');
  throw new Failed(405, 'That is not done this way.', {}, { allow });
};

const parametersOf = (pattern: string, path: string): Record<string, string> | undefined => {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [i, segment] of wanted.entries()) {
    if (segment.startsWith(':')) parameters[segment.slice(1)] = given[i]!;
    else if (segment !== given[i]) return undefined;
  }
  return parameters;
};
