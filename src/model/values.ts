/**
 * Reads what people type, on the command line and in the dashboard alike: domains, time zones,
 * rates and so on. Each function throws a ValueError whose message says what to type instead.
 */

import { currencyCode, isKnownCurrency } from './currency.ts';
import { canonicalRange } from './ip-ranges.ts';
import {
  aliasesMax,
  allowedHostsMax,
  embedHostsMax,
  excludedCountriesMax,
  excludedIpsMax,
  excludedPathsMax,
  globCharsMax,
  globStarsMax,
  keepDaysMax,
  passwordCharsMin,
  rollupNameCharsMax,
  rollupSitesMax,
} from './limits.ts';
import { suggestion } from './nearest.ts';
import { publicPartNames } from './public-parts.ts';
import { identityModes, isRollup, plans, type Site } from './site.ts';
import { suspectReasonNames } from './suspects.ts';

/** The typed value cannot be used; the message is one clear sentence. */
export class ValueError extends Error {}

/** What was typed, as an error repeats it: not all of a long text. */
const shown = (typed: string): string => JSON.stringify(typed.length > 100 ? `${typed.slice(0, 100)}…` : typed);

/**
 * A domain in its normal form: lower-case, in ASCII (punycode), without scheme, user, port, path
 * and final dot, which may all be typed. `www.` stays: it is part of the name. A domain ends up in
 * file names, so no other characters are allowed.
 */
export const domainOf = (typed: string): string => {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(typed.trim()) ? typed.trim() : `http://${typed.trim()}`;
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, '') : '';
  if (host.length > 253 || !/^[a-z\d_-]+(\.[a-z\d_-]+)*$/.test(host)) {
    throw new ValueError(`${shown(typed)} is not a domain: write it like example.com.`);
  }
  return host;
};

/** The name of a rollup, which stands where a site's domain does. */
export const rollupNameOf = (typed: string): string => {
  const name = typed.trim().normalize('NFC');
  if (/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._&-]*$/u.test(name) && name.length <= rollupNameCharsMax) return name;
  throw new ValueError(
    `${shown(typed)} is no name for a rollup: use letters, digits and spaces, ${rollupNameCharsMax} at most.`,
  );
};

/** Those of an account's sites that are named for a rollup: domains, ids or public keys. */
export const rollupSitesOf =
  (all: readonly Site[]) =>
  (typed: readonly string[]): Site[] => {
    // Of the three names of each.
    const names = [...new Set(typed)].slice(0, 3 * rollupSitesMax + 1);
    const found = names.map(name => {
      const isNamed = ({ domain, uuid, publicKey }: Site): boolean => [domain, uuid, publicKey].includes(name.trim());
      const site = all.find(each => !isRollup(each) && isNamed(each));
      if (site === undefined) throw new ValueError(`There is no site ${shown(name)} for the rollup.`);
      return site;
    });
    const distinct = [...new Set(found)];
    if (distinct.length === 0) throw new ValueError('A rollup needs a site at least.');
    if (distinct.length > rollupSitesMax) throw new ValueError(`A rollup has at most ${rollupSitesMax} sites.`);
    return distinct;
  };

/**
 * Another name of a site: a domain, a UUID, `matomo:1` or `goatcounter:code`, for what another
 * product called it. In lower case.
 */
const aliasOf = (typed: string): string => {
  const alias = typed.trim().toLowerCase();
  const [, number] = /^matomo:0*([1-9]\d{0,9})$/.exec(alias) ?? [];
  if (number !== undefined) return `matomo:${number}`;
  if (/^goatcounter:[a-z\d_-]{1,100}$/.test(alias)) return alias;
  if (!/^(matomo|goatcounter):/.test(alias)) return domainOf(alias);
  throw new ValueError(`${shown(typed)} is not an alias: write it like matomo:1 or goatcounter:code.`);
};

/** An IANA time zone, spelled as in the list of zones if it is there. */
export const timezoneOf = (typed: string): string => {
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const listed = zones.find(zone => zone.toLowerCase() === typed.toLowerCase());
  if (listed !== undefined) return listed;
  // An alias, such as Asia/Kolkata where the list says Asia/Calcutta. Offsets are not zones: they
  // have no summer time.
  if (/^[a-z]/i.test(typed) && isTimezone(typed)) return typed;
  const city = zones.find(zone => zone.toLowerCase().endsWith(`/${typed.toLowerCase()}`)) ?? typed;
  const near = suggestion(city, zones) || ' Write it like Europe/Berlin.';
  throw new ValueError(`There is no time zone ${shown(typed)}.${near}`);
};

/** Whether Node's time zone data has a zone of this name. */
export const isTimezone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false; // Intl throws for a zone that it does not know.
  }
};

export const currencyOf = (typed: string): string => {
  const code = currencyCode(typed);
  if (code !== null && isKnownCurrency(code)) return code;
  throw new ValueError(`There is no currency ${shown(typed)}: write its ISO 4217 code, like EUR.`);
};

const oneOf =
  <T extends string>(what: string, values: readonly T[]) =>
  (typed: string): T => {
    const value = values.find(known => known === typed.toLowerCase());
    if (value !== undefined) return value;
    throw new ValueError(`There is no ${what} ${shown(typed)}: choose one of ${values.join(', ')}.`);
  };

export const identityModeOf = oneOf('identity mode', identityModes);
export const planOf = oneOf('plan', plans);

/** A list that is given flag by flag. An empty value adds nothing: it clears the list. */
const eachOf =
  <T extends string>(read: (typed: string) => T) =>
  (typed: readonly string[]): T[] => [...new Set(typed.filter(value => value !== '').map(read))];

/** The same of at most `max`. `tooMany` is the rest of the sentence "At most N …". */
const listOf =
  (read: (typed: string) => string, max: number, tooMany: string) =>
  (typed: readonly string[]): string[] => {
    const list = eachOf(read)(typed);
    if (list.length <= max) return list;
    throw new ValueError(`At most ${max.toLocaleString('en-US')} ${tooMany}.`);
  };

const readExcludedIp = (typed: string): string => {
  const range = canonicalRange(typed);
  if (range !== null) return range;
  throw new ValueError(
    `${shown(typed)} is neither an address nor a range: write it like 203.0.113.9 or 203.0.113.0/24.`,
  );
};

const readExcludedPath = (typed: string): string => {
  if (!/^[/*]/.test(typed)) {
    throw new ValueError(`${shown(typed)} is not a path: it must begin with / or *, like /admin/**.`);
  }
  if (typed.length > globCharsMax) {
    throw new ValueError(`${shown(typed)} is too long: a path to exclude has at most ${globCharsMax} characters.`);
  }
  if (typed.split('*').length - 1 <= globStarsMax) return typed;
  throw new ValueError(`${shown(typed)} has too many stars: a path to exclude has at most ${globStarsMax}.`);
};

export const excludedIpsOf = listOf(readExcludedIp, excludedIpsMax, 'addresses and ranges can be excluded');
export const excludedPathsOf = listOf(readExcludedPath, excludedPathsMax, 'paths can be excluded');

/** A host as hits name it; `*.` before one stands for its subdomains. */
const readAllowedHost = (typed: string): string => {
  const [, star = '', host = ''] = /^(\*\.)?(.*)$/s.exec(typed.trim())!;
  return `${star}${domainOf(host)}`;
};

const readCountry = (typed: string): string => {
  const code = typed.trim().toUpperCase();
  if (/^[A-Z]{2}$/.test(code)) return code;
  throw new ValueError(`${shown(typed)} is not a country: write its ISO 3166 code, like DE.`);
};

export const allowedHostsOf = listOf(readAllowedHost, allowedHostsMax, 'hosts can be allowed');
export const excludedCountriesOf = listOf(readCountry, excludedCountriesMax, 'countries can be excluded');
export const aliasesOf = listOf(aliasOf, aliasesMax, 'aliases are possible for a site');

export const publicPartsOf = eachOf(oneOf('part of a public page', publicPartNames));

const readEmbedHost = (typed: string): string => {
  const host = typed.trim().toLowerCase();
  if (host.length <= 253 && /^(\*\.)?[a-z\d]([a-z\d.-]*[a-z\d])?(:\d{1,5})?$/.test(host)) return host;
  throw new ValueError(`${shown(typed)} is not a host: write it like example.com or *.example.com.`);
};

/** Hosts in the form that `frame-ancestors` takes; `*.` before one stands for its subdomains. */
export const embedHostsOf = listOf(readEmbedHost, embedHostsMax, 'hosts may embed a public page');

export const leftOutOf = eachOf(oneOf('reason to suspect a visit', suspectReasonNames));

export const uuidOf = (typed: string): string => {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(typed)) return typed.toLowerCase();
  throw new ValueError(`${shown(typed)} is not a UUID: write it like 123e4567-e89b-42d3-a456-426614174000.`);
};

/** A name that a person gives an account or a key, for people to read. */
export const nameOf = (typed: string): string => {
  const name = typed.trim();
  if (name !== '' && name.length <= 100 && !/\p{Cc}/u.test(name)) return name;
  throw new ValueError('A name needs 1 to 100 characters.');
};

/** An e-mail address, in lower case. One to sign in with need not exist. */
export const emailOf = (typed: string): string => {
  const email = typed.trim().normalize('NFC').toLowerCase();
  if (email.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) return email;
  throw new ValueError(`${shown(typed)} is not an e-mail address: write it like ada@example.com.`);
};

const passwordCharsMax = 1000;

/** A new password: any characters, in the normal form that is the same for every keyboard. */
export const passwordOf = (typed: string): string => {
  const password = normalPassword(typed);
  if (password.length > passwordCharsMax) throw new ValueError('A password may have at most 1,000 characters.');
  if (password.length >= passwordCharsMin) return password;
  throw new ValueError(`A password needs at least ${passwordCharsMin} characters.`);
};
export const normalPassword = (typed: string): string => typed.normalize('NFKC');

export const rateOf = (typed: string): number => {
  const rate = /^\d*\.?\d+$/.test(typed) ? Number(typed) : 0;
  if (rate > 0 && Number.isFinite(rate)) return rate;
  throw new ValueError(`${shown(typed)} is not a rate: write a number above 0, like 0.92.`);
};

/** Hits that one sender may send, a second or at once; an empty value for the usual number. */
export const senderHitsOf = (typed: string): number | null => {
  if (typed === '') return null;
  if (/^[1-9]\d{0,5}$/.test(typed)) return Number(typed);
  throw new ValueError(
    `${shown(typed)} is not a number of hits: write a whole number from 1 to 999999, or nothing for the usual one.`,
  );
};

/** Days that are kept; an empty value for as many as the server keeps. */
export const keepDaysOf = (typed: string): number | null => {
  if (typed === '') return null;
  if (/^[1-9]\d{0,4}$/.test(typed) && Number(typed) <= keepDaysMax) return Number(typed);
  throw new ValueError(
    `${shown(typed)} is not a number of days: write a whole number from 1 to ${keepDaysMax}, or nothing for the usual one.`,
  );
};

/** A whole number; `what` is its name in the error. */
export const wholeOf = (typed: string, what: string): number => {
  if (/^\d{1,9}$/.test(typed)) return Number(typed);
  throw new ValueError(`${what} must be a whole number, not ${shown(typed)}.`);
};
