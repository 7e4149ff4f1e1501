/** Which time of the files is asked for. */

/** UTC milliseconds: `from` <= at < `to`. */
export interface Between {
  from: number;
  to: number;
}

/** All that there is. */
export const always: Between = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
