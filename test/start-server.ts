/** The whole program on free ports, in the process of the test, with a clock of the test's own if it gives one. */
import { randomBytes } from 'node:crypto';
import { readConfig } from '../src/config.ts';
import type { Log } from '../src/log.ts';
import { startAnswer } from '../src/roles/answer.ts';
import { startCollect } from '../src/roles/collect.ts';
import type { RunningServer, ServerOptions } from '../src/roles/listen.ts';
import { startServer } from '../src/server.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { temporaryDir } from './helpers.ts';

export interface TestServer extends RunningServer {
  dataDir: string;
  /** A connection of the test's own to the server's database, as a command would open it. */
  db: Database;
}

export interface TestServerOptions {
  dataDir?: string;
  now?: () => number;
  /** Settings as on the command line, such as `{ 'trust-proxy': 'private' }`. */
  flags?: Record<string, string>;
  /** Settings that are no flags. */
  env?: Record<string, string>;
  log?: Log;
  limits?: ServerOptions['limits'];
  signal?: AbortSignal;
}

export const startTestServer = (options: TestServerOptions = {}): Promise<TestServer> =>
  startTest(startServer, options);

/** A collector that follows a primary, with the token of `primaryFlags`. */
export const startTestCollector = (primaryUrl: string, options: TestServerOptions = {}): Promise<TestServer> =>
  startTest(startCollect, { ...options, flags: { primary: primaryUrl, token: clusterToken, ...options.flags } });

/** A server that answers for it. */
export const startTestAnswer = (primaryUrl: string, options: TestServerOptions = {}): Promise<TestServer> =>
  startTest(startAnswer, { ...options, flags: { primary: primaryUrl, token: clusterToken, ...options.flags } });

const clusterToken = 'token of the cluster';
/** What makes a server a primary. Its ClickHouse does not answer. */
export const primaryFlags = { clickhouse: 'http://127.0.0.1:1/daybook', token: clusterToken };

/** Tests sign in often. */
const passwordCost = { logN: 8, r: 8, p: 1 };

const startTest = async (
  start: (options: ServerOptions) => Promise<RunningServer>,
  options: TestServerOptions,
): Promise<TestServer> => {
  const {
    dataDir = temporaryDir(),
    now = Date.now,
    flags = {},
    log = () => {},
    limits = {},
    signal,
    env = {},
  } = options;
  const { token = '', ...others } = flags;
  const config = readConfig({ CLUSTER_TOKEN: token, ...env }, { data: dataDir, port: '0', ...others });
  const server = await start({
    config,
    now,
    random: randomBytes,
    log,
    limits,
    passwordCost,
    ...(signal && { signal }),
  });
  const db = openDatabase(dataDir);
  const close = async (): Promise<void> => {
    db.close();
    await server.close();
  };
  return { ...server, dataDir, db, close };
};
