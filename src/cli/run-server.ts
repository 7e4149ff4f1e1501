/** Runs a server, whichever it is, until it is asked to stop. */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { type Config, type GivenFlags, readConfig } from '../config.ts';
import { makeLog } from '../log.ts';
import type { RunningServer, ServerOptions } from '../roles/listen.ts';
import { CommandError, type Context } from './command.ts';

/**
 * What an orderly end may take after the last answer; a disk that hangs must not keep the process
 * from ending.
 */
const drainMs = 2000;

/**
 * Starts a server and waits until it is asked to stop. `load` brings its program, so that the other
 * commands start in a fraction of the time.
 */
export const runServer = async (
  { env, pid, now, random, stdout, stderr, signal, onHangup }: Context,
  flags: GivenFlags,
  load: (config: Config) => Promise<(options: ServerOptions) => Promise<RunningServer>>,
): Promise<undefined> => {
  const log = makeLog(stderr, now);
  const config = readConfig(env, flags);
  // From systemd, and meant for this process.
  const sockets = env.LISTEN_PID === String(pid) ? Number(env.LISTEN_FDS) : 0;
  const start = await load(config);
  const server = await start({ config, sockets, now, random, log, signal, env, ...(onHangup && { onHangup }) }).catch(
    error => {
      throw listenError(error, config.host);
    },
  );
  stdout.write(`Daybook listens on ${server.url}\n`);
  if (server.collectorUrl !== server.url) stdout.write(`The collector listens on ${server.collectorUrl}\n`);
  if (server.firstRunUrl !== null) stdout.write(`To set your password, open ${server.firstRunUrl} (it works once)\n`);
  const stopped = signal.aborted ? undefined : once(signal, 'abort').then(() => undefined);
  const failure = await Promise.race([stopped, ...(server.needsStart === undefined ? [] : [server.needsStart])]);
  log('stopping');
  await Promise.race([server.close(), wait(config.shutdownMs + drainMs, undefined, { ref: false })]);
  log('stopped');
  if (failure !== undefined) throw new CommandError(failure);
  return undefined;
};

/** What can be wrong with an address to listen on, in a sentence; any other error as it is. */
const listenError = (error: NodeJS.ErrnoException & { port?: number }, host: string): Error => {
  const at = `port ${error.port} of ${host}`;
  if (error.code === 'EADDRINUSE')
    return new CommandError(`Another program listens on ${at}: stop it, or choose another port with --port.`);
  if (error.code === 'EACCES')
    return new CommandError(`Daybook may not listen on ${at}: choose a port above 1023 with --port.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new CommandError(`${host} is not an address of this machine: choose another with --host.`);
  return error;
};
