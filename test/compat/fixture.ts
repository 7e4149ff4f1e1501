/** The whole program with the shop of the API's tests, a key, and somebody who can sign in. */
import type { Site } from '../../src/model/site.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { addShop, key, now } from '../api/fixture.ts';
import { startTestServer, type TestServer } from '../start-server.ts';

export const email = 'ada@example.com';
export const password = 'correct horse battery';

export interface Got {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export interface Program extends TestServer {
  shop: Site;
  clock: { now: number };
  /** With the key, unless another one or none is given. */
  ask(path: string, asked?: { key?: string | null; body?: unknown; headers?: Record<string, string> }): Promise<Got>;
}

export const startProgram = async (flags: Record<string, string> = {}): Promise<Program> => {
  const clock = { now };
  const server = await startTestServer({ now: () => clock.now, flags });
  apiKeys(server.db).add(accounts(server.db).named('default', 0).id, 'test', key, 0);
  const shop = addShop(server.db);
  const ask: Program['ask'] = async (path, { key: token = key, body, headers = {} } = {}) => {
    const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(server.url + path, { ...sent, headers: { ...authorization, ...type, ...headers } });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
  };
  return { ...server, shop, clock, ask };
};

/** Sets the e-mail and password of the default account, as the link for it does. */
export const setPassword = async ({ url, firstRunUrl, ask }: Program): Promise<void> => {
  const token = firstRunUrl!.split('#')[1];
  const headers = { origin: url, 'sec-fetch-site': 'same-origin' };
  const { status, text } = await ask('/app/link/use', { key: null, body: { token, email, password }, headers });
  if (status !== 200) throw new Error(text);
};
