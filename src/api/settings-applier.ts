/** What the API asks of whoever applies files of settings, who stands above it (src/provision/). */
import type { By } from './changes/by.ts';

/** Applies what a body holds. */
export interface SettingsApplier {
  /** Throws HttpError, and then nothing was changed. */
  apply(text: string, on: AppliedBy): Promise<SettingsChange[]>;
}

export interface AppliedBy {
  /** As whom a team is changed, by its id. Throws HttpError for one that is not theirs. */
  by(team: string): By;
  /** When the key ends, UTC milliseconds; null for never. */
  endsAt: number | null;
  /** Nothing is changed: what would be is told. */
  isDry: boolean;
}

/** One line of a diff. */
export interface SettingsChange {
  action: 'add' | 'change' | 'remove';
  /** Where it is, such as `teams shop / sites shop.example / goals Order`. */
  path: string;
  /** Fields that change: as they were and as they are. Secrets are named alone. */
  fields: Readonly<Record<string, readonly [was: unknown, is: unknown]>>;
}
