/**
 * How often tests repeat their random worlds: once, or as often as TEST_REPEAT says, for a run by
 * hand after the store, the query engine or what reads input changed.
 */
export const repeat = Number(process.env.TEST_REPEAT ?? 1);
