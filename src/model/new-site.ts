/** Sites and rollups as they are when they are added. */
import { makePublicKey, makeToken, makeUuid, type Random } from './ids.ts';
import type { Site } from './site.ts';

type GivenSite = Pick<Site, 'accountId' | 'domain'> & Partial<Site>;

/** A site with the settings that are given, and the usual ones else. */
export const newSite = (given: GivenSite, createdAt: number, random: Random): Omit<Site, 'id'> => ({
  uuid: makeUuid(random),
  publicKey: makePublicKey(random),
  visitorKey: makeToken(random),
  timezone: 'UTC',
  currency: 'USD',
  identityMode: 'hash',
  aliases: [],
  excludedIps: [],
  excludedPaths: [],
  allowedHosts: [],
  excludedCountries: [],
  senderHits: null,
  senderBurst: null,
  keepDays: null,
  embedHosts: [],
  leftOut: [],
  members: null,
  ...given,
  createdAt,
});

/** What a rollup of some sites has from them. */
const ofMembers = (members: readonly Site[]): Pick<Site, 'members' | 'identityMode'> => ({
  members: members.map(({ uuid }) => uuid),
  identityMode: members.some(({ identityMode }) => identityMode === 'cookie') ? 'cookie' : 'hash',
});

/** A rollup with other members. */
export const withMembers = <S extends Site>(rollup: S, members: readonly Site[]): S => ({
  ...rollup,
  ...ofMembers(members),
});

/** A rollup of some sites. It has the settings of the first where nothing else is given. */
export const newRollup = (
  given: GivenSite,
  members: readonly Site[],
  createdAt: number,
  random: Random,
): Omit<Site, 'id'> => {
  const [{ timezone, currency }] = members as [Site];
  // Where all leave out the same visits, the rollup's numbers are the sums of theirs.
  const leftOut = members[0]!.leftOut.filter(reason => members.every(site => site.leftOut.includes(reason)));
  return newSite({ timezone, currency, leftOut, ...given, ...ofMembers(members) }, createdAt, random);
};
