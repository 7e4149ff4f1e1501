/** API keys as people and keys make and revoke them. */
import { HttpError } from '../../http/errors.ts';
import type { Body } from '../../http/json-body.ts';
import { makeApiKey } from '../../model/ids.ts';
import { isScope, type KeyScope, scopeNames, usualScopes } from '../../model/scopes.ts';
import type { ApiKey } from '../../model/site.ts';
import { dayMs, isoTime, isoTimeOrNull } from '../../model/time.ts';
import { nameOf, ValueError } from '../../model/values.ts';
import { type By, type ChangeParts, noteBy } from './by.ts';
import { field, optional, optionalList, unlessTaken } from './fields.ts';
import { refuseManaged } from './managed.ts';
import { sitesIn } from './place.ts';

/** Makes a key of a team, which is shown this once. Throws HttpError. */
export const addKey = (
  parts: Pick<ChangeParts, 'auditor' | 'keys' | 'directory' | 'now' | 'random'>,
  by: By,
  body: Body,
): { added: ApiKey; key: string } => {
  const { keys, now, random } = parts;
  const { grant, person, endsAt, prove } = by;
  const key = makeApiKey(random);
  const name = field(body, 'name', nameOf);
  const { scopes = [...usualScopes] } = optionalList(body, 'scopes', scopesOf);
  if (scopes.includes('manage')) prove();
  const { sites = null } = optionalList(body, 'sites', typed => sitesIn(grant, parts, typed));
  const { days = null } = optional(body, 'days', daysOf);
  const limits = { scopes, sites, expiresAt: expiryOf(days, endsAt, now()), madeBy: person.id };
  const added = unlessTaken('name', () => keys.add(grant.account.id, name, key, now(), limits));
  noteBy(parts, by, 'key-added', name);
  return { added, key };
};

const expiryOf = (days: number | null, endsAt: number | null, now: number): number | null => {
  if (days === null) return endsAt;
  const expiresAt = now + days * dayMs;
  refuseLonger(expiresAt, endsAt, 'days', end => `, which ends at ${end}`);
  return expiresAt;
};

/** A key ends with the one that makes it, if not before. Throws HttpError that names the field. */
export const refuseLonger = (
  expiresAt: number | null,
  endsAt: number | null,
  field: string,
  howLong: (end: string) => string,
): void => {
  if (endsAt === null || (expiresAt !== null && expiresAt <= endsAt)) return;
  const error = `A key ends no later than the key that makes it${howLong(isoTime(endsAt))}.`;
  throw new HttpError('app-bad-value', { error, field });
};

/** Ends a key of a team by its id. Throws HttpError. */
export const revokeKey = (
  parts: Pick<ChangeParts, 'auditor' | 'keys' | 'provisioned'>,
  by: By,
  id: string | undefined,
): void => {
  const { keys } = parts;
  const { account } = by.grant;
  const own = keys.list(account.id).find(key => String(key.id) === id);
  if (own === undefined) throw new HttpError('app-no-key');
  refuseManaged(parts, 'keys', account.uuid, own.name);
  keys.revoke(own.id);
  noteBy(parts, by, 'key-revoked', own.name);
};

/** Throws ValueError. */
export const scopesOf = (typed: readonly string[]): KeyScope[] => {
  if (typed.length === 0 || !typed.every(isScope)) throw new ValueError(`A scope is one of ${scopeNames.join(', ')}.`);
  return scopeNames.filter(name => typed.includes(name));
};

const daysMax = 3650;
/** Empty for never. */
const daysOf = (typed: string): number | null => {
  if (typed === '') return null;
  if (/^\d{1,4}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= daysMax) return Number(typed);
  throw new ValueError(`Give 1 to ${daysMax} days.`);
};

/** As the page and the API show it. */
export const keyView = ({ id, name, lastFour, createdAt, lastUsedAt, scopes, sites, expiresAt }: ApiKey) => ({
  ...{ id, name, lastFour, scopes, sites },
  expiresAt: isoTimeOrNull(expiresAt),
  createdAt: isoTime(createdAt),
  lastUsedAt: isoTimeOrNull(lastUsedAt),
});
