/**
 * A `node:http` server with bounds on what a client can cost: connections, headers, and the time each may take. Owns the connections;
 * what is answered is its handlers' business.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Log, reasonOf } from './log.ts';

/** Takes a request on one of its own paths; false, and nothing done, for any other. `path` is without query. */
export type Handle = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

export interface ConnectionLimits {
  /** Open at once; one more is closed at once. A slow one costs some 20 KiB. */
  connectionsMax: number;
  /** A request's headers must be here in this time, and all of it in the next. Slower clients are closed. */
  headersMs: number;
  requestMs: number;
  /** Between requests. Longer than the minute for which proxies keep connections, so that it is they who close them. */
  keepAliveMs: number;
  /** Without a byte in either direction during a request: longer than any answer takes to begin, or a client that does not read what it asked for. */
  idleMs: number;
  /** How often connections are held against the first two. */
  checkMs: number;
}

export const limitDefaults: Omit<ConnectionLimits, 'connectionsMax'> = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  idleMs: 90_000,
  checkMs: 2_000,
};

export interface Listener {
  /** Resolves with the address it listens on, such as `http://127.0.0.1:8080`; rejects with the listener's own error. */
  listen(host: string, port: number): Promise<string>;
  /** Stops listening and waits for the answers under way, but no longer than `waitMs`. */
  close(waitMs: number): Promise<void>;
}

/** How often connections that became idle are looked for while it closes. */
const closingTickMs = 50;

export const createListener = (handlers: readonly Handle[], limits: ConnectionLimits, log: Log): Listener => {
  const { connectionsMax, headersMs, requestMs, keepAliveMs, idleMs, checkMs } = limits;
  const server = createServer({ connectionsCheckingInterval: checkMs }, (request, response) => {
    const target = request.url ?? '/';
    const end = target.indexOf('?');
    const path = end < 0 ? target : target.slice(0, end);
    try {
      if (handlers.some(handle => handle(request, response, path))) return;
      request.resume();
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
    } catch (error) {
      // A fault of ours costs the one request that found it, and is named in the log.
      log('request-failed', { reason: reasonOf(error) });
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"internal error"}');
    }
  });
  server.maxConnections = connectionsMax;
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  server.keepAliveTimeout = keepAliveMs;
  server.timeout = idleMs;
  return {
    listen: (host, port) => listen(server, host, port),
    close: waitMs => close(server, waitMs),
  };
};

const listen = (server: Server, host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { address, family, port: taken } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
    });
  });

const close = async (server: Server, waitMs: number): Promise<void> => {
  if (!server.listening) return;
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  // A connection that is kept alive counts as open until its answer is out and it is found idle.
  const idle = setInterval(() => server.closeIdleConnections(), closingTickMs);
  const impatient = setTimeout(() => server.closeAllConnections(), waitMs);
  await closed;
  clearInterval(idle);
  clearTimeout(impatient);
};
