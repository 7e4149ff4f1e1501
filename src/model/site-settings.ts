/**
 * What can be set of a site, a row each: how it is read, and what the command line calls it. The
 * API, files of settings and `daybook site` take it from here.
 */
import { aliasesMax, allowedHostsMax, excludedIpsMax, excludedPathsMax, globCharsMax, globStarsMax } from './limits.ts';
import { suspectReasonNames } from './suspects.ts';
import {
  aliasesOf,
  allowedHostsOf,
  currencyOf,
  embedHostsOf,
  excludedCountriesOf,
  excludedIpsOf,
  excludedPathsOf,
  identityModeOf,
  keepDaysOf,
  leftOutOf,
  senderHitsOf,
  timezoneOf,
} from './values.ts';

const text = <const F extends string, T>(flag: F, value: string, meaning: string, read: (typed: string) => T) =>
  ({ kind: 'text', flag, value, meaning, read }) as const;
const list = <const F extends string, T>(flag: F, value: string, meaning: string, read: (typed: string[]) => T) =>
  ({ kind: 'list', flag, value, meaning, read }) as const;

export const siteSettings = {
  timezone: text('timezone', 'ZONE', 'IANA time zone, like Europe/Berlin', timezoneOf),
  currency: text('currency', 'CODE', 'ISO 4217 code of its revenue', currencyOf),
  identityMode: text('identity-mode', 'MODE', 'hash or cookie: how visitors are recognized', identityModeOf),
  aliases: list(
    'alias',
    'NAME',
    `Another name that hits and questions may use: a domain, a UUID, matomo:1 or goatcounter:code; at most ${aliasesMax}`,
    aliasesOf,
  ),
  excludedIps: list(
    'exclude-ip',
    'RANGE',
    `Address or CIDR range whose hits are ignored; at most ${excludedIpsMax}`,
    excludedIpsOf,
  ),
  excludedPaths: list(
    'exclude-path',
    'GLOB',
    `Path whose hits are ignored; * matches within a segment, ** across segments. At most ${excludedPathsMax}, each of ${globCharsMax} characters and ${globStarsMax} stars`,
    excludedPathsOf,
  ),
  allowedHosts: list(
    'allow-host',
    'HOST',
    `Host whose hits count, such as example.com or *.example.com; at most ${allowedHostsMax} (default: all)`,
    allowedHostsOf,
  ),
  excludedCountries: list(
    'exclude-country',
    'CODE',
    'Country whose hits are ignored, as its ISO 3166 code: DE',
    excludedCountriesOf,
  ),
  keepDays: text(
    'keep-days',
    'N',
    'Days that are kept: older ones are deleted after midnight (default: KEEP_HITS_DAYS of the server)',
    keepDaysOf,
  ),
  embedHosts: list(
    'embed-host',
    'HOST',
    'Host whose pages may show its public pages in a frame, such as example.com or *.example.com (default: none)',
    embedHostsOf,
  ),
  leftOut: list(
    'leave-out',
    'REASON',
    `Suspect visits to leave out of its numbers, of past days too: ${suspectReasonNames.join(', ')} (default: none)`,
    leftOutOf,
  ),
  senderHits: text(
    'sender-hits',
    'N',
    'Hits a second that one network may send (default: SENDER_HITS of the server)',
    senderHitsOf,
  ),
  senderBurst: text(
    'sender-burst',
    'N',
    'Hits that one network may send at once (default: SENDER_BURST of the server)',
    senderHitsOf,
  ),
};

/** Those that are one value, or lists. */
export const siteSettingsOf = (kind: 'text' | 'list'): string[] =>
  Object.entries(siteSettings).flatMap(([name, row]) => (row.kind === kind ? name : []));
