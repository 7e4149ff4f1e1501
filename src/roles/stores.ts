/** What the API reads besides hits. */
import { accounts, apiKeys } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { definitions } from '../store/definitions.ts';
import { notes } from '../store/notes.ts';
import { rates } from '../store/rates.ts';

export const storesOf = (db: Database) => ({
  accounts: accounts(db),
  keys: apiKeys(db),
  rates: rates(db),
  definitions: definitions(db),
  notes: notes(db),
});
