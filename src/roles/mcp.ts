/** What assistants ask a server, as its settings have it. */
import type { Access } from '../api/api.ts';
import type { Config } from '../config.ts';
import type { Handle } from '../http/listener.ts';
import type { Log } from '../log.ts';
import { createMcp } from '../mcp/mcp.ts';
import type { Database } from '../store/database.ts';
import { notes } from '../store/notes.ts';
import type { SiteDirectory } from '../store/sites.ts';

interface McpWorld {
  db: Database;
  directory: SiteDirectory;
  access: Access;
  now: () => number;
  log: Log;
  /** Where what is written belongs; missing where this server writes itself. */
  primaryUrl?: string;
}

/** None where the operator switched it off. */
export const mcpHandles = (config: Config, { db, ...world }: McpWorld, ownUrl: () => string | null): Handle[] => {
  const { mcp, baseUrl, collectorUrl, mcpOrigins: origins, mcpVisits: showsVisits } = config;
  if (!mcp) return [];
  const parts = { ...world, notes: notes(db), baseUrl, origins, showsVisits };
  return [createMcp({ ...parts, collectorUrl: () => collectorUrl ?? ownUrl() }).handle];
};
