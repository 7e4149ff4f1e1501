/** `daybook serve`: runs the server until it is asked to stop. */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { flagOf, type GivenFlags, readConfig, settingNames, settings } from '../config.ts';
import { makeLog } from '../log.ts';
import { CommandError, command, type Flags } from './command.ts';

/** Every setting but the data directory, which all commands take. */
const settingFlags: Flags = Object.fromEntries(
  settingNames
    .filter(name => name !== 'dataDir')
    .map(name => {
      const { value, env, meaning, initial } = settings[name];
      const preset = initial === null ? env : `${env}, else ${initial}`;
      return [flagOf(name), { kind: 'text', value, meaning: `${meaning} (${preset})` }];
    }),
);

/** What an orderly end may take after the last answer; a disk that hangs must not keep the process from ending. */
const drainMs = 2000;

export const serve = command({
  name: 'serve',
  operands: [],
  flags: settingFlags,
  summary: 'Run the server: dashboard, API and collector',
  details:
    'It ends in an orderly way when it is interrupted or terminated: it answers what is under way and writes what it holds.',
  run: async (context, { flags }) => {
    const { now, random, stdout, signal } = context;
    const log = makeLog(context.stderr, now);
    const config = readConfig(context.env, flags as GivenFlags);
    // Loaded here alone, so that the other commands start in a fraction of the time.
    const { startServer } = await import('../server.ts');
    const server = await startServer({ config, now, random, log }).catch(error => {
      throw listenError(error, config.host);
    });
    stdout.write(`Daybook listens on ${server.url}\n`);
    if (server.collectorUrl !== server.url) stdout.write(`The collector listens on ${server.collectorUrl}\n`);
    if (server.firstRunUrl !== null) stdout.write(`Set your password, once, at ${server.firstRunUrl}\n`);
    if (!signal.aborted) await once(signal, 'abort');
    log('stopping');
    await Promise.race([server.close(), wait(config.shutdownMs + drainMs, undefined, { ref: false })]);
    log('stopped');
  },
});

/** What can be wrong with an address to listen on, in a sentence; any other error as it is. */
const listenError = (error: NodeJS.ErrnoException & { port?: number }, host: string): Error => {
  const at = `port ${error.port} of ${host}`;
  if (error.code === 'EADDRINUSE')
    return new CommandError(`Another program listens on ${at}: stop it, or choose another port with --port.`);
  if (error.code === 'EACCES')
    return new CommandError(`Listening on ${at} is not allowed: choose a port above 1023 with --port.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new CommandError(`${host} is no address of this machine: choose another with --host.`);
  return error;
};
