/**
 * The log: one line for each thing an operator should know, as `time event key=value …`. It never
 * holds the address, user agent or URL of a visitor.
 */

export type LogFields = Record<string, string | number | boolean>;
export type Log = (event: string, fields?: LogFields) => void;

/** A log that writes lines to `out`, with the time of the clock it is given. */
export const makeLog =
  (out: { write(line: string): unknown }, now: () => number): Log =>
  (event, fields = {}) => {
    const pairs = Object.entries(fields).map(
      ([key, value]) => `${key}=${/^[\w.:/+-]+$/.test(String(value)) ? value : JSON.stringify(value)}`,
    );
    out.write(`${[new Date(now()).toISOString(), event, ...pairs].join(' ')}\n`);
  };

/** One line about an error, for the log. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
