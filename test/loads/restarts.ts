/** The program as it was built, behind a reverse proxy, and stopped and started anew while pages are loaded. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { packageRoot } from '../../src/package-root.ts';
import { builtProgram } from '../tools/build.ts';
import { endChild } from '../tools/children.ts';

export interface RestartingCollector {
  /** Where browsers reach it. */
  origin: string;
  /** Stops it and starts it anew. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A server serves so long before it is restarted. */
const servesMs = 3000;
const host = '127.0.0.4';

/**
 * With `isHeld`, somebody else holds the socket that the server listens on, as systemd does. Otherwise nobody listens while it restarts, and the
 * proxy answers 502.
 */
export const startCollector = async (dataDir: string, isHeld: boolean): Promise<RestartingCollector> => {
  const socket = holdSocket();
  const start = (): Promise<ChildProcess> => startServer(dataDir, socket.port, isHeld ? socket.fd : undefined);
  if (!isHeld) socket.close();
  let child = await start();
  const proxy = await startProxy(socket.port);
  return {
    origin: proxy.origin,
    async restart() {
      await endChild(child);
      child = await start();
    },
    async stop() {
      proxy.close();
      await endChild(child);
      if (isHeld) socket.close();
    },
  };
};

/** Restarts it again and again until the function is called that it returns, which resolves to how often it did. */
export const restartOften = ({ restart }: RestartingCollector): (() => Promise<number>) => {
  let isStopped = false;
  const repeat = async (): Promise<number> => {
    let times = 0;
    for (; !isStopped; times++) {
      await wait(servesMs);
      await restart();
    }
    return times;
  };
  const repeated = repeat();
  return () => {
    isStopped = true;
    return repeated;
  };
};

interface HeldSocket {
  fd: number;
  port: number;
  close(): void;
}

/** A socket on which nobody accepts connections yet. Node has no documented way to make one. */
const holdSocket = (): HeldSocket => {
  const { _createServerHandle } = net as unknown as {
    _createServerHandle(
      address: string,
      port: number,
      family: 4,
    ): {
      fd: number;
      getsockname(name: { port?: number }): void;
      close(): void;
    };
  };
  const handle = _createServerHandle(host, 0, 4);
  const name: { port?: number } = {};
  handle.getsockname(name);
  return { fd: handle.fd, port: name.port!, close: () => handle.close() };
};

/** Resolves when it listens. */
const startServer = async (dataDir: string, port: number, fd?: number): Promise<ChildProcess> => {
  const program = [process.execPath, builtProgram, 'serve', '--data', dataDir];
  const given = ['sh', '-c', 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@"', 'sh'];
  const [command, ...args] = fd === undefined ? program : [...given, ...program];
  const child = spawn(command!, args, {
    cwd: packageRoot,
    env: { ...process.env, HOST: host, PORT: String(port), GEO_DB: '/dev/null' },
    stdio: ['ignore', 'pipe', 'ignore', fd ?? 'ignore'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const [said] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')]);
  if (!/listens/.test(String(said))) throw new Error(`The server did not start: ${said}`);
  return child;
};

/** A reverse proxy with a connection for each request. It answers 502 while nobody listens, without headers that let other origins read it. */
const startProxy = async (port: number): Promise<{ origin: string; close(): void }> => {
  const server = createServer((request, response) => {
    const { method = 'GET', url, headers } = request;
    const onward = httpRequest({ host, port, method, path: url, headers, agent: false }, answer => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end('Bad gateway');
    });
    request.pipe(onward);
  });
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${own}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};
