/** People who sign in, and what they are in the teams that they belong to. */
import type { LocaleChoice } from './locale.ts';

/** The least first: each may do all that those before it may (rights.ts). */
export const memberRoles = ['viewer', 'editor', 'admin', 'owner'] as const;
export type MemberRole = (typeof memberRoles)[number];

export interface Person {
  /** Inside the database only. */
  id: number;
  uuid: string;
  /** In lower case. */
  email: string;
  /** Empty for none. */
  name: string;
  /** How the dashboard writes for them. */
  locale: LocaleChoice;
  /** May make teams, and sees the servers. */
  isOperator: boolean;
  /** UTC milliseconds; null for somebody who may sign in. */
  disabledAt: number | null;
  createdAt: number;
}
