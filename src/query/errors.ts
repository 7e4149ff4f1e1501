/** Why a query has no answer. */

export class QueryError extends Error {}

/** The query was not answered in time: ask for a shorter range, or for less at once. */
export class QueryTimeout extends QueryError {
  constructor(deadlineMs: number) {
    super(`the query took longer than ${deadlineMs / 1000} seconds`);
  }
}

/** Whoever asked no longer waits for the answer. */
export class QueryCanceled extends QueryError {
  constructor() {
    super('the query was canceled');
  }
}

/** The query would hold too much memory: ask for a shorter range, or for less at once. */
export class QueryTooLarge extends QueryError {
  constructor() {
    super('the query would take too much memory');
  }
}

/** Too many queries wait already: try again later. */
export class QueryBusy extends QueryError {
  constructor(waiting: number) {
    super(`${waiting} queries are waiting already`);
  }
}

/** The engine cannot answer such questions, which are named as `questions of the kind vitals`. */
export class QueryUnsupported extends QueryError {
  constructor(questions: string) {
    super(`ClickHouse answers no ${questions}`);
  }
}

/** What holds the hits does not answer: try again later. The message says why, for the log. */
export class QueryUnavailable extends QueryError {}

/** This server was not told where all hits are; the message says so to whoever asked, too. */
export class QueryIncomplete extends QueryUnavailable {}

/**
 * A thread ended while another one waited for it. That one begins again with those that are left.
 */
export class PeerEnded extends Error {
  constructor() {
    super('another thread ended');
  }
}

/** The worker threw or died, which is our fault. The message is the worker's own. */
export class QueryFailed extends QueryError {}
