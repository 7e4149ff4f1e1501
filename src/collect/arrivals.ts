/** Turns requests into arrivals for the pipeline. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../http/body.ts';
import { clientAddressReader } from '../http/client-address.ts';
import type { PathParameters } from '../http/router.ts';
import { type Log, reasonOf } from '../log.ts';
import { senderNetwork } from '../model/address.ts';
import { bearerToken } from '../model/headers.ts';
import { apiKeyPrefix } from '../model/ids.ts';
import { bodyBytesMax } from '../model/limits.ts';
import type { Outcome } from '../model/outcomes.ts';
import type { KeyFinder } from '../store/accounts/key-finder.ts';
import type { Intake } from './intake.ts';
import type { Arrival } from './pipeline.ts';
import { hitReply, sendAndClose } from './replies.ts';
import { userAgentCharsMax } from './user-agent.ts';

export interface ArrivalParts {
  /** Entries of TRUST_PROXY. */
  trustProxy: readonly string[];
  /** The collector's time, in UTC milliseconds. */
  clock: () => number;
  /** Brings the sites up to date. May throw when the database cannot be read. */
  refreshSites: () => void;
  /** Finds the API keys of servers that send for many visitors. */
  keys: Pick<KeyFinder, 'find'>;
  intake: Pick<Intake, 'note' | 'refuse'>;
  log: Log;
}

/** What a request brought, at the end of the turn in which all of it had come. */
export interface Received {
  /** Of whom and when; its body is not read yet. */
  arrival: Arrival;
  bytes: Buffer;
  request: IncomingMessage;
  response: ServerResponse;
  parameters: PathParameters;
}

export interface ArrivalReader {
  /** Reads requests and hands them over. Refuses bodies too large, and unknown API keys. */
  reading(take: (received: Received) => void): Serve;
  /**
   * What an API key may send to; undefined for what is none of ours, and the outcome of a hit whose
   * key is unknown, is not for hits, or cannot be looked up.
   */
  senderOf(token: string): KeySender | Outcome | undefined;
}

/** Who sends with a key. */
export type KeySender = Required<Pick<Arrival, 'accountId' | 'keySites'>>;

export type Serve = (request: IncomingMessage, response: ServerResponse, parameters: PathParameters) => void;

export const arrivalReader = ({ trustProxy, clock, refreshSites, keys, intake, log }: ArrivalParts): ArrivalReader => {
  const addressOf = clientAddressReader(trustProxy);
  const atEndOfTurn = endsOfTurns(clock);

  /** Refuses a request whose body was not read. */
  const refuseUnread = (request: IncomingMessage, response: ServerResponse, outcome: Outcome): void => {
    intake.note({ siteId: 0, at: clock(), outcome });
    sendAndClose(request, response, hitReply(outcome, 'hash'));
  };

  const senderOf: ArrivalReader['senderOf'] = token => {
    // A browser sends the sign-in of a site that asks for one to all of its host, and a proxy may
    // add one of its own: that is no key.
    if (!token.startsWith(apiKeyPrefix)) return undefined;
    try {
      const key = keys.find(token);
      if (key === undefined || !key.scopes.includes('ingest')) return 'bad-key';
      return { accountId: key.accountId, keySites: key.sites };
    } catch (error) {
      log('keys-unreadable', { reason: reasonOf(error) });
      return 'unavailable';
    }
  };

  const reading: ArrivalReader['reading'] = take => (request, response, parameters) => {
    const { headers, socket } = request;
    const token = headers.authorization === undefined ? undefined : bearerToken(headers.authorization);
    const sender = token === undefined ? undefined : senderOf(token);
    if (typeof sender === 'string') {
      refuseUnread(request, response, sender);
      return;
    }
    readBody(request, bodyBytesMax, bytes => {
      if (bytes === undefined) {
        refuseUnread(request, response, 'too-large');
        return;
      }
      // Read now: a socket that is closed at the end of the turn has no address.
      const { remoteAddress } = socket;
      atEndOfTurn(() => {
        const at = clock();
        try {
          refreshSites();
        } catch (error) {
          // Like any failing disk: the hit is refused, and the next one tries again.
          log('sites-unreadable', { reason: reasonOf(error) });
          intake.refuse({ siteId: 0, at, outcome: 'unavailable' }, response);
          return;
        }
        const address = addressOf(remoteAddress, headers['x-forwarded-for'] as string | undefined);
        const userAgent = (headers['user-agent'] ?? '').slice(0, userAgentCharsMax);
        const network = sender === undefined ? senderNetwork(address) : undefined;
        const arrival: Arrival = { at, address, userAgent, body: undefined, network, ...sender };
        take({ arrival, bytes, request, response, parameters });
      }, bytes.length);
    });
  };

  return { reading, senderOf };
};

/** Milliseconds after which what is left waits for the next turn, so that new requests come in. */
const turnMs = 5;
/** A body of more bytes than the hits of a page have may hold many hits, or dear ones. */
const largeBytes = 4096;
/** A page's hit takes some turns to come and to be written, so each has less of these. */
const largeMs = 2;

/**
 * Keeps calls for the end of the turn of the event loop, where they follow one another. What one
 * needs is then still in the processor's cache for the next, which saves a tenth of a busy
 * collector's time. Small ones go first, so that nobody's page waits for lists of others; a large
 * one is made in each turn all the same. The calls must not throw.
 */
export const endsOfTurns = (clock: () => number): ((call: () => void, bytes: number) => void) => {
  const small: (() => void)[] = [];
  const large: (() => void)[] = [];
  const run = (): void => {
    const makeSome = (due: (() => void)[], end: number): void => {
      let done = 0;
      while (done < due.length && clock() < end) due[done++]!();
      due.splice(0, done);
    };
    const begun = clock();
    makeSome(small, begun + turnMs);
    large.shift()?.();
    makeSome(large, begun + largeMs);
    if (small.length + large.length > 0) setImmediate(run);
  };
  return (call, bytes) => {
    if (small.length + large.length === 0) setImmediate(run);
    (bytes > largeBytes ? large : small).push(call);
  };
};
