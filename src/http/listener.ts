/**
 * A `node:http` server that bounds what a client can cost: connections, headers, and the time each
 * may take. It owns the connections; its handlers own the answers.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Log, reasonOf } from '../log.ts';
import { ServedRequest } from './body.ts';
import { connectionBound } from './connections.ts';
import { HttpError } from './errors.ts';
import { respond } from './reply.ts';

/**
 * Answers a request on one of its own paths; false, and nothing done, for any other. `path` is
 * without query.
 */
export type Handle = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

export interface ConnectionLimits {
  /** Open at once; a further one closes one of a network that has many. A slow one takes 20 KiB. */
  connectionsMax: number;
  /** Time for a request's headers, and for the whole request. Slower clients are closed. */
  headersMs: number;
  requestMs: number;
  /**
   * Between requests. Proxies keep connections for a minute: with more than that, it is they who
   * close them.
   */
  keepAliveMs: number;
  /**
   * Without a byte in either direction during a request: more than any answer takes to begin.
   * Closes clients that do not read.
   */
  idleMs: number;
  /** How often the times of headers and requests are checked. */
  checkMs: number;
}

export const limitDefaults: Omit<ConnectionLimits, 'connectionsMax'> = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  idleMs: 90_000,
  checkMs: 2_000,
};

/** Where to listen: at an address, or on a socket that is there already. */
export type ListenAddress = { host: string; port: number } | { fd: number };

/** How often a closing listener looks for connections that became idle. */
const closingTickMs = 50;

export interface ListenerParts {
  /** Asked one after the other. */
  handlers: readonly Handle[];
  limits: ConnectionLimits;
  /** The network of a socket's address, as a number; 0 for a proxy. */
  networkOf: (address: string) => number;
  log: Log;
}

export const createListener = ({ handlers, limits, networkOf, log }: ListenerParts) => {
  const { connectionsMax, headersMs, requestMs, keepAliveMs, idleMs, checkMs } = limits;
  const options = { connectionsCheckingInterval: checkMs, IncomingMessage: ServedRequest };
  const server = createServer(options, (request, response) => {
    const target = request.url ?? '/';
    const end = target.indexOf('?');
    const path = end < 0 ? target : target.slice(0, end);
    if (hasManyHosts(request)) {
      respond(request, response, new HttpError('two-hosts').reply, log);
      return;
    }
    try {
      if (handlers.some(handle => handle(request, response, path))) return;
      respond(request, response, new HttpError('not-found').reply, log);
    } catch (error) {
      // A fault of the server costs only the request that found it.
      log('request-failed', { reason: reasonOf(error) });
      if (response.headersSent) response.destroy();
      else respond(request, response, new HttpError('internal').reply, log);
    }
  });
  server.on('connection', connectionBound(connectionsMax, networkOf));
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  server.keepAliveTimeout = keepAliveMs;
  server.timeout = idleMs;
  return {
    /**
     * Resolves with the address it listens on, such as `http://127.0.0.1:8080`; rejects with the
     * listener's own error.
     */
    listen: (place: ListenAddress) => listen(server, place),
    /** Stops listening and waits for the answers under way, but no longer than `waitMs`. */
    close: (waitMs: number) => close(server, waitMs),
  };
};

/** A proxy may have looked at another one than the first, which Node gives (RFC 9112, 3.2). */
const hasManyHosts = ({ rawHeaders }: IncomingMessage): boolean => {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
};

const listen = (server: Server, place: ListenAddress): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => {
      server.off('error', reject);
      const { address, family, port: taken } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
    });
  });

const close = async (server: Server, waitMs: number): Promise<void> => {
  if (!server.listening) return;
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  // A connection that is kept alive counts as open until its answer is sent and somebody finds it
  // idle.
  const idle = setInterval(() => server.closeIdleConnections(), closingTickMs);
  const impatient = setTimeout(() => server.closeAllConnections(), waitMs);
  await closed;
  clearInterval(idle);
  clearTimeout(impatient);
};
