/** `daybook mcp`: assistants on the same machine ask over a pipe. */
import type { Writable } from 'node:stream';
import { createApi } from '../api/api.ts';
import { baseUrlOf } from '../config.ts';
import { assistantFor, everything } from '../mcp/mcp.ts';
import { bridge } from '../mcp/pipe-to-server.ts';
import type { Assistant } from '../mcp/tool.ts';
import { teamGrant } from '../model/grant.ts';
import type { Account, Site } from '../model/site.ts';
import { cacheBytesFor } from '../query/cache-size.ts';
import { createQueryPool } from '../query/threads/pool.ts';
import { accounts } from '../store/accounts/accounts.ts';
import { type Database, databaseExists } from '../store/database.ts';
import { openStore } from '../store/moved-hits/put-back.ts';
import { siteDirectory } from '../store/sites.ts';
import { storesOf } from '../store/stores.ts';
import { CommandError, type Context, command } from './command.ts';
import { accountFlag, listFlag, settingFlag, switchFlag, textFlag } from './flags.ts';
import { accountNamed, siteNamed } from './lookup.ts';

export const mcp = command({
  name: 'mcp',
  flags: {
    ...accountFlag,
    site: listFlag('DOMAIN', 'Only this site; repeatable'),
    visits: switchFlag('Single visits too, which may name persons'),
    url: textFlag('URL', 'Ask this server instead of a directory, with the key in DAYBOOK_KEY'),
    'base-url': settingFlag('baseUrl'),
  },
  summary: 'Answer an assistant on this machine over the pipe that starts it',
  details: `It speaks the Model Context Protocol on stdin and stdout (docs/mcp.md). Whoever can read the directory may ask: no server and no key
are needed, and a server may run beside it. With --url it passes messages on to a server, for assistants that know no HTTP.`,
  database: 'none',
  printsAsItGoes: true,
  async run(context, { flags }) {
    if (flags.url !== undefined) await toServer(context, flags.url);
    else await fromDirectory(context, flags);
    return undefined;
  },
});

const toServer = async ({ env, stdin, stdout }: Context, url: string): Promise<void> => {
  const key = env.DAYBOOK_KEY;
  if (!key) throw new CommandError('DAYBOOK_KEY is missing: set it to an API key of the server.');
  await bridge({ url: url.replace(/\/+$/, ''), key, stdin, write: line => stdout.write(`${line}\n`) });
};

interface Chosen {
  account: string | undefined;
  site: string[] | undefined;
  visits: boolean;
}

/** Whose sites are asked about. Throws CommandError where that is not clear. */
const accountOf = (db: Database, name: string | undefined, [site]: readonly Site[]): Account => {
  if (name !== undefined) return accountNamed(db, name);
  const all = accounts(db).list();
  const found = site === undefined ? all : all.filter(({ id }) => id === site.accountId);
  if (found.length === 1) return found[0]!;
  throw new CommandError(`Say which account with --account: ${all.map(each => each.name).join(', ')}.`);
};

const fromDirectory = async (
  context: Context & { dataDir: string },
  { account: name, site: domains = [], visits }: Chosen,
) => {
  const { dataDir, env, now, signal, stdin, stdout, stderr } = context;
  if (!databaseExists(dataDir))
    throw new CommandError(`There is no database in ${dataDir}: --data names another directory.`);
  const db = openStore(dataDir);
  const pool = createQueryPool({
    ...{ dataDir, workers: 2, smallBytes: 2 ** 25, cacheBytesMax: cacheBytesFor() },
    ...{ deadlineMs: 60_000, waitingMax: 64 },
  });
  try {
    const sites = domains.map(domain => siteNamed(db, domain, name));
    const account = accountOf(db, name, sites);
    const grants = [teamGrant(account, { role: 'owner', sites: null, hidden: [] })];
    const caller = { account, grants, byKey: true };
    const directory = siteDirectory(db);
    const stores = storesOf(db);
    const log = (event: string): unknown => stderr.write(`${event}\n`);
    const { access } = createApi({ ...stores, directory, engine: pool, now, log });
    const origin = baseUrlOf(env, {});
    const only = sites.length === 0 ? null : new Set(sites.map(({ uuid }) => uuid));
    const assistant = (): Assistant => {
      directory.refresh();
      const parts = {
        access,
        notes: stores.notes,
        addSite: null,
        collectorUrl: () => env.COLLECTOR_URL ?? null,
        showsVisits: visits,
        now,
      };
      return assistantFor({ caller, only, may: everything }, parts, origin, signal);
    };
    const { servePipe } = await import('../mcp/pipe.ts');
    await servePipe({ assistant, httpErrorOf: access.httpErrorOf, stdin, stdout: stdout as Writable, signal });
  } finally {
    await pool.close();
    db.close();
  }
};
