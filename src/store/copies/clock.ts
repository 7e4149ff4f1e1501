/** Whether what was last done at `last` is due again. A clock set back does not put it off. */
export const isDue = (now: number, last: number, restMs: number): boolean => now - last >= restMs || now < last;
