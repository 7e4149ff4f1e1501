/**
 * The programs that ask for access: known by an address that holds a document about them, or
 * registered here, as older ones do.
 */
import { lru } from 'tiny-lru';
import { parseJson } from '../http/body.ts';
import type { Outbound } from '../http/outbound.ts';
import { isRecord } from '../model/record.ts';
import { hourMs } from '../model/time.ts';
import type { OAuthStore } from '../store/accounts/oauth.ts';
import { OAuthFailure } from './failure.ts';
import { mayRedirectTo } from './redirects.ts';

export interface OAuthClient {
  /** An https address, or an id that was given out here. */
  id: string;
  /** As it calls itself: anybody can call itself anything. */
  name: string;
  redirects: string[];
}

const nameCharsMax = 100;
const redirectsMax = 20;
const keptMs = 24 * hourMs;
const keptMax = 200;

/** What is not seen has no place in a name that people are to trust. */
const shownName = (given: unknown, fallback: string): string => {
  const name =
    typeof given === 'string'
      ? given
          .toWellFormed()
          .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
          .trim()
      : '';
  return name === '' ? fallback : name.slice(0, nameCharsMax);
};

/** The fields of a program that are used here. Throws OAuthFailure. */
export const readClient = (id: string, given: Readonly<Record<string, unknown>>, fallback: string): OAuthClient => {
  const { redirect_uris: redirects, client_name: name, token_endpoint_auth_method: method = 'none' } = given;
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > redirectsMax)
    throw new OAuthFailure('invalid_redirect_uri', `redirect_uris is a list of 1 to ${redirectsMax} addresses`);
  const bad = redirects.find(uri => typeof uri !== 'string' || !mayRedirectTo(uri));
  if (bad !== undefined)
    throw new OAuthFailure(
      'invalid_redirect_uri',
      `${String(bad).slice(0, 100)} cannot be sent to: use https, or http on this machine`,
    );
  if (method !== 'none')
    throw new OAuthFailure(
      'invalid_client_metadata',
      'only token_endpoint_auth_method none: programs have no secret here',
    );
  return { id, name: shownName(name, fallback), redirects: redirects as string[] };
};

/** Whether an id is the address of a document (client id metadata documents). */
const isDocument = (id: string): boolean => {
  if (!id.startsWith('https://') || id.length > 500 || !URL.canParse(id)) return false;
  const { href, pathname, hash, username, password } = new URL(id);
  return href === id && pathname !== '/' && hash === '' && username === '' && password === '';
};

interface ClientsParts {
  store: Pick<OAuthStore, 'client'>;
  now: () => number;
  outbound: Outbound;
}

const documentMs = 5000;
const documentBytesMax = 10 * 1024;

/** The document at an address. Rejects with an Error where there is none. */
const fetchDocument = async (outbound: Outbound, url: string): Promise<Buffer> => {
  const { status, body, isCut } = await outbound(url, {
    ...{ method: 'GET', headers: { accept: 'application/json' } },
    ...{ waitMs: documentMs, bytesMax: documentBytesMax },
  });
  if (status !== 200) throw new Error(`${new URL(url).hostname} answers ${status}`);
  if (isCut) throw new Error(`the document has more than ${documentBytesMax} bytes`);
  return body;
};

/** The program of an id. Rejects with OAuthFailure. */
export const clientFinder = ({ store, now, outbound }: ClientsParts): ((id: string) => Promise<OAuthClient>) => {
  const kept = lru<{ client: OAuthClient; until: number }>(keptMax);

  const fromDocument = async (id: string): Promise<OAuthClient> => {
    const known = kept.get(id);
    if (known !== undefined && now() < known.until) return known.client;
    const bytes = await fetchDocument(outbound, id).catch(error => {
      throw new OAuthFailure(
        'invalid_client',
        `the document of the program cannot be read: ${(error as Error).message}`,
      );
    });
    const document = parseJson(bytes);
    if (!isRecord(document) || document.client_id !== id)
      throw new OAuthFailure('invalid_client', 'the document of the program does not name its own address');
    const client = readClient(id, document, new URL(id).host);
    kept.set(id, { client, until: now() + keptMs });
    return client;
  };

  return async id => {
    if (isDocument(id)) return fromDocument(id);
    const client = store.client(id);
    if (client === undefined)
      throw new OAuthFailure('invalid_client', 'there is no such program: it has to register again');
    return client;
  };
};
