/** `daybook serve`: runs the server until it is asked to stop. */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { flagOf, type GivenFlags, readConfig, settingNames } from '../config.ts';
import { makeLog } from '../log.ts';
import { CommandError, command, type Flags, settingFlag } from './command.ts';

/** Every setting but the data directory, which all commands take. */
const settingFlags: Flags = Object.fromEntries(
  settingNames.filter(name => name !== 'dataDir').map(name => [flagOf(name), settingFlag(name)]),
);

/**
 * What an orderly end may take after the last answer; a disk that hangs must not keep the process
 * from ending.
 */
const drainMs = 2000;

export const serve = command({
  name: 'serve',
  flags: settingFlags,
  summary: 'Run the server: dashboard, API and collector',
  details: 'An interrupt (Ctrl-C) or SIGTERM stops it: it finishes open answers and writes every hit it has taken.',
  database: 'none',
  printsAsItGoes: true,
  run: async ({ env, pid, now, random, stdout, stderr, signal }, { flags }) => {
    const log = makeLog(stderr, now);
    const config = readConfig(env, flags as GivenFlags);
    // From systemd, and meant for this process.
    const sockets = env.LISTEN_PID === String(pid) ? Number(env.LISTEN_FDS) : 0;
    // Loaded here alone, so that the other commands start in a fraction of the time.
    const { startServer } = await import('../server.ts');
    const server = await startServer({ config, sockets, now, random, log }).catch(error => {
      throw listenError(error, config.host);
    });
    stdout.write(`Daybook listens on ${server.url}\n`);
    if (server.collectorUrl !== server.url) stdout.write(`The collector listens on ${server.collectorUrl}\n`);
    if (server.firstRunUrl !== null) stdout.write(`To set your password, open ${server.firstRunUrl} (it works once)\n`);
    if (!signal.aborted) await once(signal, 'abort');
    log('stopping');
    await Promise.race([server.close(), wait(config.shutdownMs + drainMs, undefined, { ref: false })]);
    log('stopped');
    return undefined;
  },
});

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
