/**
 * The program on a free port, in a process of its own, with its clock at a given time:
 * `dashboard-server.ts DATA NOW`. Prints the link of its first run.
 */
import { randomBytes } from 'node:crypto';
import { readConfig } from '../src/config.ts';
import { startServer } from '../src/server.ts';

const [data = '', now = ''] = process.argv.slice(2);
const server = await startServer({
  config: readConfig({}, { data, port: '0' }),
  now: () => Number(now),
  random: randomBytes,
  log: () => {},
});
console.log(server.firstRunUrl);
process.once('SIGTERM', () => void server.close());
