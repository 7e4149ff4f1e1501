/**
 * How often tests repeat their random worlds: once, or as often as TEST_REPEAT says, for a run by
 * hand after the store or the query engine changed. Each repetition has seeds of its own.
 */
export const repeat = Number(process.env.TEST_REPEAT ?? 1);
