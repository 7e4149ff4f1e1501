/** Access that people give to programs, where nobody can listen on the way. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../api/auth.ts';
import type { Config } from '../config.ts';
import type { ProgramAccess } from '../mcp/mcp.ts';
import { isPrivateWay, senderNetwork } from '../model/address.ts';
import { createOAuth, type OAuth, type OAuthParts } from '../oauth/oauth.ts';
import { oauthStore } from '../store/accounts/oauth.ts';
import type { Database } from '../store/database.ts';

type OAuthWorld = Pick<OAuthParts, 'now' | 'random' | 'log' | 'outbound'> & {
  db: Database;
  addressOf: (request: IncomingMessage) => string;
};

/** Null where programs need a key: without https, or where assistants are switched off. */
export const oauthOf = ({ baseUrl, mcp }: Config, { db, addressOf, ...world }: OAuthWorld): OAuth | null =>
  mcp && baseUrl !== null && isPrivateWay(baseUrl)
    ? createOAuth({
        ...{ ...world, store: oauthStore(db), issuer: baseUrl },
        networkOf: request => String(senderNetwork(addressOf(request))),
      })
    : null;

/** What tokens are good for, which is never more than the person may do at that moment. */
export const programAccess = (
  oauth: OAuth | null,
  callerOf: (personId: number) => Caller | undefined,
): ProgramAccess | null =>
  oauth && {
    challenge: oauth.challenge,
    find(token) {
      const grant = oauth.grantOf(token);
      const caller = grant && callerOf(grant.personId);
      if (grant === undefined || caller === undefined) return undefined;
      const only = grant.sites && new Set(grant.sites);
      const may = new Set(grant.scopes.includes('notes') ? (['notes'] as const) : []);
      return { caller, only, may, name: `program ${grant.id}` };
    },
  };
