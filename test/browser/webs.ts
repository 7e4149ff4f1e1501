/** Web sites on loopback hosts, and detours on the way to a collector. */
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const listen = async (host: string, handle: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server = createServer(handle);
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return { server, origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}` };
};

const closeServer = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** A web site. What is not shown on it is 404. */
export interface Web {
  origin: string;
  show(pages: Record<string, string | { body: string; headers: Record<string, string> }>): void;
  close(): Promise<void>;
}

export const openWeb = async (host: string): Promise<Web> => {
  let pages: Parameters<Web['show']>[0] = {};
  const { server, origin } = await listen(host, (request, response) => {
    const page = pages[new URL(request.url!, 'http://web').pathname];
    const { body, headers } = typeof page === 'object' ? page : { body: page ?? '', headers: {} };
    const type = request.url!.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8';
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': type, ...headers }).end(body);
  });
  return {
    origin,
    show(next) {
      pages = { '/favicon.ico': '', ...next };
    },
    close: () => closeServer(server),
  };
};

/** A collector that is far away: what it is asked goes on to the real one, late or never. */
export interface Detour {
  origin: string;
  /** Method, path and content type of all that was asked. */
  asked: string[];
  /** What was sent with it. */
  bodies: string[];
  close(): Promise<void>;
}

/**
 * What happens to what is asked for a path: it takes longer, or again so halfway through its answer, or is answered with this status, which
 * pages of other origins can read unless it is as most proxies say it.
 */
export type Trouble = (
  path: string,
) => { delayMs?: number; halfwayMs?: number; status?: number; retryAfter?: number; isUnreadable?: boolean } | undefined;

export const openDetour = async (target: string, trouble: Trouble): Promise<Detour> => {
  const asked: string[] = [];
  const bodies: string[] = [];
  const { server, origin } = await listen('127.0.0.4', async (request, response) => {
    asked.push([request.method, request.url, request.headers['content-type']].filter(Boolean).join(' '));
    const { delayMs = 0, halfwayMs, status, retryAfter, isUnreadable } = trouble(request.url!) ?? {};
    const body = Buffer.concat(await request.toArray());
    bodies.push(String(body));
    await sleep(delayMs);
    if (status !== undefined) {
      if (!isUnreadable) response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-expose-headers', 'retry-after');
      if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
      response.writeHead(status).end('busy');
      return;
    }
    const onward = httpRequest(target + request.url, { method: request.method!, headers: request.headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers);
      if (halfwayMs === undefined) answer.pipe(response);
      else answer.toArray().then(chunks => haltingly(response, Buffer.concat(chunks), halfwayMs), ignored);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  });
  return { origin, asked, bodies, close: () => closeServer(server) };
};

const haltingly = async (response: ServerResponse, body: Buffer, haltMs: number): Promise<void> => {
  const half = Math.floor(body.length / 2);
  response.write(body.subarray(0, half));
  await sleep(haltMs);
  response.end(body.subarray(half));
};

/** Whoever asked has gone, and with them the request that was sent on. */
const ignored = (): void => {};
