/**
 * The provider that people sign in with, in a file: what the settings OIDC_… say, read and checked
 * by what reads those. It counts from the next start on, as they do, so nothing of it is stored.
 */
import { asTyped } from '../api/changes/fields.ts';
import { type GivenFields, kind, list, number, onOff, text } from './kind.ts';

/** Fields by the settings that they are. */
export const oidcFields: Readonly<Record<string, string>> = {
  ...{ OIDC_ISSUER: 'issuer', OIDC_CLIENT_ID: 'clientId', OIDC_CLIENT_SECRET: 'clientSecret', OIDC_NAME: 'name' },
  ...{ OIDC_SCOPES: 'scopes', OIDC_CREATE: 'create', OIDC_DOMAINS: 'domains', OIDC_ROLE: 'role' },
  ...{ OIDC_ACCOUNT: 'team', OIDC_GROUPS_CLAIM: 'groupsClaim', OIDC_GROUPS: 'groups', OIDC_ONLY: 'only' },
  OIDC_SESSION_H: 'sessionHours',
};

const words = list(typed => typed.join(', '));

export const oidc = kind<GivenFields>({
  ...{ plural: 'oidc', key: ['issuer'], isKept: true },
  fields: {
    ...Object.fromEntries(Object.values(oidcFields).map(name => [name, text(asTyped)])),
    ...{ clientSecret: { ...text(asTyped), isSecret: true }, only: onOff, sessionHours: number(asTyped) },
    ...{ domains: words, groups: words },
  },
  find: (_, __, given) => given,
  values: given => given,
  set: (_, __, given) => given,
});
