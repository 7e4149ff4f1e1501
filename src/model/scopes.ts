/** What an API key may do. */
import type { Right } from './rights.ts';

export interface ScopeRow {
  /** The rights of rights.ts that it gives. */
  rights: readonly Right[];
  meaning: string;
}

export const scopes = {
  read: { rights: ['read'], meaning: 'Ask questions and export' },
  notes: { rights: ['read', 'notes'], meaning: 'Write notes on days' },
  ingest: { rights: [], meaning: 'Send hits from a server' },
  manage: {
    rights: ['read', 'notes', 'define', 'settings', 'sites', 'share', 'keys', 'reset', 'members', 'audit'],
    meaning: 'Change sites and what belongs to them',
  },
} as const satisfies Record<string, ScopeRow>;

export type KeyScope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as KeyScope[];

export const isScope = (name: string): name is KeyScope => Object.hasOwn(scopes, name);

/** Those of a key for which nobody says otherwise, and of all keys that earlier versions made. */
export const usualScopes: readonly KeyScope[] = ['read', 'notes', 'ingest'];

export const rightsOfScopes = (given: readonly KeyScope[]): ReadonlySet<Right> =>
  new Set(given.flatMap(scope => [...scopes[scope].rights]));
