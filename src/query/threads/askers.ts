/**
 * Who asks, and what share of the query threads they have. No asker keeps another one waiting: each
 * has tasks of its own that run and that wait, and turns go to whoever used the threads least.
 */

/** An account, or everybody who looks at its public pages. */
export interface Asker {
  accountId: number;
  isPublic: boolean;
}

export interface Share {
  /** Beside others who want all of the time, it gets a part in proportion to this. */
  weight: number;
  /** Tasks that run at a time; others of the same asker wait for them. */
  runningMax: number;
  /** The part of all tasks that may wait. */
  waitingPart: number;
}

const shareOfAccount: Share = { weight: 1, runningMax: 8, waitingPart: 1 / 2 };
const shareOfPublic: Share = { weight: 1 / 4, runningMax: 2, waitingPart: 1 / 8 };

export const shareOf = ({ isPublic }: Asker): Share => (isPublic ? shareOfPublic : shareOfAccount);

/** Tells askers apart. */
export const askerKey = ({ accountId, isPublic }: Asker): string => `${accountId}${isPublic ? ' public' : ''}`;
