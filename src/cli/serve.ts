/** `daybook serve`: runs the server that does everything until it is asked to stop. */
import { settingNames } from '../config.ts';
import { command } from './command.ts';
import { settingFlags } from './flags.ts';
import { runServer } from './run-server.ts';

/** All but the data directory, which all commands take, and what only followers need. */
const settings = settingNames.filter(name => !['dataDir', 'primary', 'keepDays'].includes(name));

export const serve = command({
  name: 'serve',
  flags: settingFlags(settings),
  summary: 'Run the server: dashboard, API and collector',
  details: 'An interrupt (Ctrl-C) or SIGTERM stops it: it finishes open answers and writes every hit it has taken.',
  database: 'none',
  printsAsItGoes: true,
  run: (context, { flags }) => runServer(context, flags, async () => (await import('../server.ts')).startServer),
});
