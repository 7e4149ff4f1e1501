/** Sends what another product's clients send, and says what of it is stored. */
import { request } from 'node:http';
import type { Site } from '../../src/model/site.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { chrome, startCollector, type TestCollector } from '../collect/start-collector.ts';
import { storedHits, storedVisits } from '../collect/stored.ts';

export interface Sent {
  status: number;
  body: Buffer;
  headers: Record<string, string | undefined>;
}

export interface Client {
  collector: TestCollector;
  /** An API key of the site's account. */
  key: string;
  /** From a visitor of their own, unless a header says which. A body makes it a POST. */
  send(path: string, body?: string | object | null, headers?: Record<string, string>): Promise<Sent>;
  /** The hits that are stored since this was last asked, each with what its visit says beside it. */
  taken(): Record<string, unknown>[];
}

export const startClient = async (site: Partial<Site>): Promise<Client> => {
  const collector = await startCollector({ site });
  const key = 'tk_live_of_the_test';
  apiKeys(collector.db).add(accounts(collector.db).named('default', 0).id, 'test', key, 0);
  let visitors = 0;
  let seen = 0;
  return {
    collector,
    key,
    send: (path, body = null, headers = {}) =>
      new Promise((resolve, reject) => {
        const address = `198.51.100.${++visitors % 250}`;
        const own = { 'user-agent': chrome, 'x-forwarded-for': address, ...headers };
        const sent = request(collector.url + path, { method: body === null ? 'GET' : 'POST', headers: own });
        sent.once('error', reject);
        sent.once('response', async response => {
          const bytes = Buffer.concat(await response.toArray());
          resolve({ status: response.statusCode!, body: bytes, headers: response.headers as Sent['headers'] });
        });
        sent.end(body === null ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
      }),
    taken() {
      const visits = new Map(storedVisits(collector.db).map(visit => [visit.id, visit]));
      const hits = storedHits(collector.db).slice(seen);
      seen += hits.length;
      return hits.map(hit => ({ ...visits.get(hit.visit_id), ...hit }));
    },
  };
};

/** Those of the fields of `whole` that `part` names. */
export const likewise = (whole: Record<string, unknown>, part: object): Record<string, unknown> =>
  Object.fromEntries(Object.keys(part).map(name => [name, whole[name]]));
