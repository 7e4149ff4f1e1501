/** What all of the dashboard's parts know of the server. */
import type { IncomingMessage } from 'node:http';
import type { Log } from '../log.ts';
import type { Random } from '../model/ids.ts';

export interface DashboardWorld {
  /** UTC milliseconds. */
  now: () => number;
  random: Random;
  log: Log;
  /** BASE_URL; null to use the address that a request was made to. */
  baseUrl: string | null;
  /** The client's address, behind trusted proxies. It limits attempts. */
  addressOf: (request: IncomingMessage) => string;
}
