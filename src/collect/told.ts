/** What servers with an API key say of the visitors that they send for. */
import { canonicalAddress } from '../http/client-address.ts';
import { visitIdleMs } from '../model/limits.ts';
import { dayMs, utcDayOf } from '../model/time.ts';
import type { Arrival } from './pipeline.ts';
import { userAgentCharsMax } from './user-agent.ts';

/** What a server says of the visitor that it sends for. */
export interface ToldOfHit {
  /** UTC milliseconds. */
  at?: number | undefined;
  address?: string | undefined;
  userAgent?: string | undefined;
  /** Names the visitor in place of address and user agent. */
  session?: string | undefined;
  /** It belongs to nobody: a visitor and a visit of its own. */
  isAlone?: boolean;
}

/** The domain of a site by its name. */
export type DomainOf = (site: string) => string | undefined;

/**
 * Another product's hit as the JSON of ours, and what a server says in it; undefined for a body of
 * any other shape.
 */
export type ReadByShape = (
  body: unknown,
  domainOf: DomainOf,
) => { body: Record<string, unknown>; told: ToldOfHit } | undefined;

/**
 * What a server with an API key says of a hit. A hit may be as late as a visit may be silent: then
 * it belongs to the visit that is under way, if there is one. The day before is over.
 */
export const believed = ({ at, address, userAgent, session }: ToldOfHit = {}, now: number): Partial<Arrival> => ({
  ...(at !== undefined && { at: Math.max(Math.min(at, now), utcDayOf(now) * dayMs) }),
  ...(at !== undefined && now - at > visitIdleMs && { isOld: true }),
  ...(address !== undefined && { address: canonicalAddress(address) }),
  ...(userAgent !== undefined && { userAgent: userAgent.slice(0, userAgentCharsMax) }),
  ...(session !== undefined && { session }),
});
