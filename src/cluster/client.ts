/** ClickHouse over its HTTP interface, which every version of it has. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export const databaseOf = ({ pathname }: URL): string => decodeURIComponent(pathname.slice(1)) || 'daybook';

/** An error that ClickHouse answered with. */
export class ClickHouseError extends Error {
  /** Of ClickHouse's own list; 0 where it gave none. */
  readonly code: number;
  constructor(message: string) {
    super(message);
    this.code = Number(/Code: (\d+)/.exec(message)?.[1] ?? 0);
  }
}

/** A server cannot be reached, or went away before it had answered. */
class ConnectionError extends Error {}

export interface ClickHouseStatement {
  sql: string;
  settings?: Record<string, string | number>;
  /** What an insert inserts. */
  data?: Buffer;
  /** Where the statement is about a database that need not be there. */
  withoutDatabase?: boolean;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** For statements that nobody waits for in a browser. */
export const statementMs = 120_000;

/** Resolves with the whole answer. Rejects with ClickHouseError or ConnectionError. */
export const send = (to: URL, statement: ClickHouseStatement): Promise<string> =>
  new Promise((resolve, reject) => {
    const { sql, settings = {}, data, withoutDatabase, timeoutMs, signal } = statement;
    const fail = (error: NodeJS.ErrnoException): void =>
      reject(new ConnectionError(error.message || error.code || 'no connection', { cause: error }));
    const url = new URL('/', to);
    [url.username, url.password] = [to.username, to.password];
    if (!withoutDatabase) url.searchParams.set('database', databaseOf(to));
    // Then the status speaks for the whole answer.
    for (const [name, value] of Object.entries({ wait_end_of_query: 1, ...settings }))
      url.searchParams.set(name, String(value));
    if (data !== undefined) url.searchParams.set('query', sql);
    const begin = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = begin(url, { method: 'POST', timeout: timeoutMs, ...(signal && { signal }) }, response => {
      const chunks: Buffer[] = [];
      response.on('data', chunk => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const answer = Buffer.concat(chunks);
        if (response.statusCode === 200) return resolve(answer.toString());
        const text = answer.toString('utf8', 0, errorTextMax);
        reject(new ClickHouseError(text || `status ${response.statusCode}`));
      });
    });
    request.on('timeout', () => request.destroy(new Error(`${url.host} did not answer within ${timeoutMs / 1000} s`)));
    request.on('error', fail);
    request.end(data ?? sql);
  });
const errorTextMax = 1000;

/** Whether an answer had too many rows or bytes, or the work for it took too much memory. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof ClickHouseError && [396, 241].includes(error.code);

/** Codes of errors that speak of a replica that is not well, and not of the statement. */
const replicaCodes = [209, 210, 225, 242, 279, 999];

/** Whether servers could not be reached, or do not reach what they need. */
export const isAway = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ClickHouseError && replicaCodes.includes(error.code));

/** Codes of errors: there is no such table, and no such database. */
const missingCodes = [60, 81];

/** Whether a replica lacks what is asked about; others may have it. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ClickHouseError && missingCodes.includes(error.code);

/** Asks the replicas of a shard one after the other, until one answers. */
export const sendToShard = async (replicas: readonly URL[], statement: ClickHouseStatement): Promise<string> => {
  for (const [i, replica] of replicas.entries()) {
    try {
      return await send(replica, statement);
    } catch (error) {
      const isOfStatement = error instanceof ClickHouseError && !isAway(error) && !isMissing(error);
      if (isOfStatement || statement.signal?.aborted || i === replicas.length - 1) throw error;
    }
  }
  throw new Error('a shard without a replica');
};
