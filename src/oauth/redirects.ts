/** Where a code may be sent: the only proof that a program is the one that asks (RFC 9700, 4.1). */
import { isThisMachine } from '../model/address.ts';

const redirectCharsMax = 500;
/** A link to these would run or show something in place of reaching a program. */
const neverRedirects = /^(javascript|data|vbscript|file|blob|about|filesystem|view-source|mailto|ftp|wss?):$/;

/** Whether a program may have this address at all: https, this machine, or a scheme of its own. */
export const mayRedirectTo = (uri: string): boolean => {
  if (uri.length > redirectCharsMax || !URL.canParse(uri)) return false;
  const { protocol, hostname, hash, username, password } = new URL(uri);
  if (hash !== '' || uri.includes('#') || username !== '' || password !== '') return false;
  if (protocol === 'http:') return isThisMachine(hostname);
  return protocol === 'https:' || !neverRedirects.test(protocol);
};

/**
 * Whether an address is one of those that are known: letter by letter, but a program on this
 * machine cannot know its port before (RFC 8252, 7.3).
 */
export const isKnownRedirect = (known: readonly string[], uri: string): boolean =>
  mayRedirectTo(uri) &&
  known.some(each => each === uri || (isLoopback(each) && isLoopback(uri) && portless(each) === portless(uri)));

const isLoopback = (uri: string): boolean =>
  URL.canParse(uri) && new URL(uri).protocol === 'http:' && isThisMachine(new URL(uri).hostname);

const portless = (uri: string): string => {
  const url = new URL(uri);
  url.port = '';
  return url.href;
};

/** Who gets the code, as people are told. */
export const hostOf = (uri: string): string => {
  const { host, protocol } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : `${protocol}//${host}`;
};

/** The address with more in its query. */
export const withQuery = (uri: string, more: Readonly<Record<string, string | undefined>>): string => {
  const search = Object.entries(more).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(search)}`;
};
