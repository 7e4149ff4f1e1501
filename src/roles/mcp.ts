/** What assistants ask a server, as its settings have it. */
import type { Access } from '../api/api.ts';
import type { Caller } from '../api/auth.ts';
import type { Config } from '../config.ts';
import type { Handle } from '../http/listener.ts';
import type { Log } from '../log.ts';
import { createMcp } from '../mcp/mcp.ts';
import type { OAuth } from '../oauth/oauth.ts';
import type { Database } from '../store/database.ts';
import { notes } from '../store/notes.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { programAccess } from './oauth.ts';

interface McpWorld {
  db: Database;
  directory: SiteDirectory;
  access: Access;
  now: () => number;
  log: Log;
  /** Where what is written belongs; missing where this server writes itself. */
  primaryUrl?: string;
  /** Null or missing where programs need a key. */
  oauth?: OAuth | null;
  /** Who a person is for the API. */
  callerOf?: (personId: number) => Caller | undefined;
}

/** None where the operator switched it off. */
export const mcpHandles = (config: Config, world: McpWorld, ownUrl: () => string | null): Handle[] => {
  const { mcp, baseUrl, collectorUrl, mcpOrigins: origins, mcpVisits: showsVisits } = config;
  if (!mcp) return [];
  const { db, oauth = null, callerOf = () => undefined, ...others } = world;
  const parts = {
    ...others,
    notes: notes(db),
    baseUrl,
    origins,
    showsVisits,
    programs: programAccess(oauth, callerOf),
  };
  const { handle } = createMcp({ ...parts, collectorUrl: () => collectorUrl ?? ownUrl() });
  return [handle, ...(oauth === null ? [] : [oauth.handle])];
};
