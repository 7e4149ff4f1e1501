/** What goes back to a client: JSON, or text in pieces that are written as they come and as fast as the client reads. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Iterable<string> | AsyncIterable<string>;
}

export interface JsonReply extends Reply {
  body: string;
}

export const json = (status: number, body: object, headers: Record<string, string> = {}): JsonReply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

/** A list of which the items are JSON already, with commas between them, in pieces. */
export class WrittenList {
  readonly pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
  }
}

/** As `json`; `data` may be a WrittenList where it is not the only field. */
export const jsonWithList = (body: object): Reply => {
  const { data, ...others } = body as { data?: unknown };
  if (!(data instanceof WrittenList)) return json(200, body);
  const rest = JSON.stringify(others).slice(1);
  return { ...json(200, {}), body: ['{"data":[', ...data.pieces, `],${rest}`] };
};

/** Thrown to answer with an error. */
export class Refusal extends Error {
  readonly reply: JsonReply;

  constructor(status: number, error: string, headers: Record<string, string> = {}) {
    super(error);
    this.reply = json(status, { error }, headers);
  }
}

/** Numbers about a site's visitors belong in no cache, and are never to be taken for a page. */
const everyReply = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Resolves when the answer is written, or its client gone. */
export const send = async (request: IncomingMessage, response: ServerResponse, reply: Reply): Promise<void> => {
  const { status, headers, body } = reply;
  response.writeHead(status, {
    ...everyReply,
    ...headers,
    ...(typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {}),
  });
  if (typeof body === 'string' || request.method === 'HEAD') {
    response.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  try {
    await pipeline(Readable.from(oneATurn(body)), response);
  } catch (error) {
    // A client that stops reading is no failure of ours.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
};

/** Pieces that are made one in each turn of the event loop, so that hits are taken between any two of a large file's. */
async function* oneATurn(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}
