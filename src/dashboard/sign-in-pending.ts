/**
 * What the server remembers between two requests of a browser that is not signed in yet: kept in
 * memory for some minutes, under a random id in a cookie. A restart forgets it.
 */
import type { IncomingMessage } from 'node:http';
import { senderNetwork } from '../model/address.ts';
import { makeToken } from '../model/ids.ts';
import { cookieOf, setCookie } from './cookies.ts';
import type { DashboardWorld } from './world.ts';

export interface Pending<T> {
  /** Remembers a value in the place of the browser's last. Gives the headers of the cookie. */
  put(request: IncomingMessage, value: T, origin: string): string[];
  /** What is remembered of this browser; undefined when it is over or there is nothing. */
  peek(request: IncomingMessage): T | undefined;
  /** The same, and forgets it: each counts once. */
  take(request: IncomingMessage): T | undefined;
}

export type PendingParts = Omit<DashboardWorld, 'log'>;

export interface PendingOptions {
  cookie: string;
  lastsMs: number;
}

/**
 * Strangers make them, so there are so many in all and of one network. The oldest goes, and a
 * network that makes many loses its own.
 */
const pendingMax = 10_000;
const pendingOfNetworkMax = 1000;

export const createPending = <T>(
  { now, random, baseUrl, addressOf }: PendingParts,
  { cookie, lastsMs }: PendingOptions,
): Pending<T> => {
  /** In the order in which they end. */
  const all = new Map<string, { value: T; endsAt: number; network: string }>();
  const ofNetworks = new Map<string, number>();

  const forget = (id: string): void => {
    const found = all.get(id);
    if (found === undefined) return;
    all.delete(id);
    const left = ofNetworks.get(found.network)! - 1;
    if (left === 0) ofNetworks.delete(found.network);
    else ofNetworks.set(found.network, left);
  };

  const makeRoom = (network: string): void => {
    for (const [id, { endsAt }] of all) {
      if (endsAt > now() && all.size < pendingMax) break;
      forget(id);
    }
    if ((ofNetworks.get(network) ?? 0) < pendingOfNetworkMax) return;
    for (const [id, each] of all) {
      if (each.network !== network) continue;
      forget(id);
      return;
    }
  };

  const idOf = (request: IncomingMessage): string => cookieOf(request, cookie, baseUrl) ?? '';
  const peek = (request: IncomingMessage): T | undefined => {
    const found = all.get(idOf(request));
    return found !== undefined && found.endsAt > now() ? found.value : undefined;
  };

  return {
    put(request, value, origin) {
      forget(idOf(request));
      const network = String(senderNetwork(addressOf(request)));
      makeRoom(network);
      const id = makeToken(random);
      all.set(id, { value, endsAt: now() + lastsMs, network });
      ofNetworks.set(network, (ofNetworks.get(network) ?? 0) + 1);
      return setCookie(cookie, id, lastsMs / 1000, origin);
    },
    peek,
    take(request) {
      const value = peek(request);
      forget(idOf(request));
      return value;
    },
  };
};
