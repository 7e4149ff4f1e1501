/** Whether it is time again for what was last done at `last`. A clock that stepped back does not put it off. */
export const isDue = (now: number, last: number, restMs: number): boolean => now - last >= restMs || now < last;
