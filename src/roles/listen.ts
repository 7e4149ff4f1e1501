/**
 * What every server has, whatever it does: one listener, or two when the collector has its own. It
 * takes them down in order: stop listening, answer what is under way, write what is queued, close
 * the files.
 */
import type { Collector } from '../collect/collector.ts';
import type { Config } from '../config.ts';
import type { PasswordCost } from '../dashboard/passwords.ts';
import { socketNetwork } from '../http/client-address.ts';
import {
  type ConnectionLimits,
  createListener,
  type Handle,
  type ListenAddress,
  limitDefaults,
} from '../http/listener.ts';
import type { Log } from '../log.ts';

export interface ServerOptions {
  config: Config;
  /**
   * How many listening sockets the process was given, as systemd gives them: the first for the main
   * listener, a second for the collector's own. They stay open while the server restarts.
   */
  sockets?: number;
  /** UTC milliseconds. */
  now: () => number;
  random: (bytes: number) => Buffer;
  log: Log;
  /** Ends a start that waits for another server. */
  signal?: AbortSignal;
  /** What a file of settings refers to. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Calls `listener` whenever files shall be read again. */
  onHangup?: (listener: () => void) => void;
  /** Other bounds than the usual ones, for tests. */
  limits?: Partial<ConnectionLimits>;
  /** Less work for a password than the usual, for tests that sign in. */
  passwordCost?: PasswordCost;
}

export interface RunningServer {
  /**
   * Where it listens, such as `http://127.0.0.1:8080`. The collector's address is another one when
   * it has its own port.
   */
  url: string;
  collectorUrl: string;
  /**
   * The link with a one-time token that sets the first e-mail and password; null when somebody can
   * sign in already, or nobody ever can.
   */
  firstRunUrl: string | null;
  /** Resolves with a sentence when it has to be started anew; missing where that never happens. */
  needsStart?: Promise<string>;
  /** Resolves when every acknowledged hit is safe without the process, and everything is closed. */
  close(): Promise<void>;
}

/** What answers behind the listeners. */
export interface Answering {
  collector: Pick<Collector, 'handle' | 'handleUnknown'> | null;
  /** What comes before the collector, and what comes after it. */
  before: readonly Handle[];
  after: readonly Handle[];
  firstRunPath(): string | null;
  needsStart?: Promise<string>;
  /** Closes the parts; `leftMs` is the time that is left of SHUTDOWN_S. */
  close(leftMs: () => number): Promise<void>;
}

/** Descriptor of the first socket from systemd, as sd_listen_fds(3) has it. */
const firstSocket = 3;

/**
 * Starts the parts behind listeners. They are told the address of the collector's own listener,
 * once it listens. Throws the listener's own error when a port is taken.
 */
export const startListening = async (
  { config, sockets = 0, log, limits }: ServerOptions,
  start: (ownCollectorUrl: () => string | null) => Promise<Answering>,
): Promise<RunningServer> => {
  let ownUrl: string | null = null;
  const { collector, before, after, firstRunPath, needsStart, close: closeParts } = await start(() => ownUrl);

  const isSplit = collector !== null && config.collectorPort !== null;
  const bounds = {
    limits: { ...limitDefaults, connectionsMax: config.connectionsMax, ...limits },
    networkOf: socketNetwork(config.trustProxy),
    log,
  };
  // Pages that were set up before the collector had its own port go on sending to this one.
  const taking = collector === null ? [] : [collector.handle];
  const main = createListener({ handlers: [...before, ...taking, ...after], ...bounds });
  const own = isSplit
    ? createListener({ handlers: [collector.handle, collector.handleUnknown], ...bounds })
    : undefined;

  const placeOf = (listener: number, port: number): ListenAddress =>
    listener < sockets ? { fd: firstSocket + listener } : { host: config.host, port };

  const close = async (): Promise<void> => {
    const endAt = performance.now() + config.shutdownMs;
    await Promise.all([main.close(config.shutdownMs), own?.close(config.shutdownMs)]);
    await closeParts(() => Math.max(0, endAt - performance.now()));
  };

  try {
    const url = await main.listen(placeOf(0, config.port));
    if (own !== undefined) ownUrl = await own.listen(placeOf(1, config.collectorPort!));
    const path = firstRunPath();
    const firstRunUrl = path === null ? null : `${config.baseUrl ?? url}${path}`;
    return { url, collectorUrl: ownUrl ?? url, firstRunUrl, ...(needsStart && { needsStart }), close };
  } catch (error) {
    await close();
    throw error;
  }
};
