/** How far long work is, in the words of those who wait for it. */
export interface WorkDone {
  /** What is counted, in the singular (`line`); `byte` is shown in larger units. */
  unit: string;
  /** What was done with it (`read`). Another verb begins another stage, with a speed of its own. */
  verb: string;
  count: number;
  /** How many there are in all, where that is known. */
  of?: number;
  /** How much is done, 0 to 1, where `of` does not tell; null where nobody knows. */
  part?: number | null;
}
