/** What assistants ask a server, as its settings have it. */
import type { Access } from '../api/api.ts';
import type { Caller } from '../api/auth.ts';
import { ParameterError } from '../api/request/parameters.ts';
import type { Config } from '../config.ts';
import type { Handle } from '../http/listener.ts';
import type { Log } from '../log.ts';
import { createMcp, type McpParts } from '../mcp/mcp.ts';
import type { Random } from '../model/ids.ts';
import { newSite } from '../model/new-site.ts';
import { currencyOf, domainOf, timezoneOf, ValueError } from '../model/values.ts';
import type { OAuth } from '../oauth/oauth.ts';
import type { Database } from '../store/database.ts';
import { notes } from '../store/notes.ts';
import { type SiteDirectory, sites, TooManySites } from '../store/sites.ts';
import { programAccess } from './oauth.ts';

interface McpWorld {
  db: Database;
  directory: SiteDirectory;
  access: Access;
  now: () => number;
  log: Log;
  /** Missing where no sites are added. */
  random?: Random;
  /** Where what is written belongs; missing where this server writes itself. */
  primaryUrl?: string;
  /** Null or missing where programs need a key. */
  oauth?: OAuth | null;
  /** Who a person is for the API. */
  callerOf?: (personId: number) => Caller | undefined;
}

/** The same domain again gives the site that is there. Throws ParameterError. */
const siteAdder =
  (db: Database, directory: SiteDirectory, now: () => number, random: Random): McpParts['addSite'] =>
  (accountId, typed) => {
    const refuse = (parameter: string, { message }: Error): never => {
      throw new ParameterError({ error: message, parameter });
    };
    const read = <T>(name: keyof typeof typed, of: (text: string) => T): T => {
      try {
        return of(typed[name]);
      } catch (error) {
        if (error instanceof ValueError) return refuse(name, error);
        throw error;
      }
    };
    const domain = read('domain', domainOf);
    const known = directory.find(domain, accountId);
    if (known?.accountId === accountId) return known;
    const settings = { timezone: read('timezone', timezoneOf), currency: read('currency', currencyOf) };
    try {
      const { id, uuid } = sites(db).add(newSite({ accountId, domain, ...settings }, now(), random));
      directory.reload(id);
      return directory.find(uuid)!;
    } catch (error) {
      if (error instanceof TooManySites) return refuse('domain', error);
      throw error;
    }
  };

/** None where the operator switched it off. */
export const mcpHandles = (config: Config, world: McpWorld, ownUrl: () => string | null): Handle[] => {
  const { mcp, baseUrl, collectorUrl, mcpOrigins: origins, mcpVisits: showsVisits } = config;
  if (!mcp) return [];
  const { db, oauth = null, callerOf = () => undefined, random, ...others } = world;
  const parts = {
    ...others,
    addSite: random === undefined ? null : siteAdder(db, others.directory, others.now, random),
    notes: notes(db),
    baseUrl,
    origins,
    showsVisits,
    programs: programAccess(oauth, callerOf),
  };
  const { handle } = createMcp({ ...parts, collectorUrl: () => collectorUrl ?? ownUrl() });
  return [handle, ...(oauth === null ? [] : [oauth.handle])];
};
