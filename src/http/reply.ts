/**
 * What goes back to a client: JSON, bytes, or text in pieces that are written as fast as the client
 * reads.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Log, reasonOf } from '../log.ts';
import { endAfterBody } from './body.ts';

export interface Reply {
  status: number;
  headers: Readonly<Record<string, string | string[]>>;
  body: string | Buffer | Iterable<string> | AsyncIterable<string>;
}

export interface JsonReply extends Reply {
  body: string;
}

export const json = (status: number, body: object, headers: Reply['headers'] = {}): JsonReply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

/** What answers where there is nothing else to say. */
export const isDone = (headers: Reply['headers'] = {}): JsonReply => json(200, { done: true }, headers);

/** A list whose items are JSON already, with commas between them, in pieces. */
export class WrittenList {
  readonly pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
  }
}

/** As `json` with status 200. `data` may be a WrittenList where it is not the only field. */
export const jsonWithList = (body: object): Reply & { body: string | readonly string[] } => {
  const { data, ...others } = body as { data?: unknown };
  if (!(data instanceof WrittenList)) return json(200, body);
  const rest = JSON.stringify(others).slice(1);
  return { ...json(200, {}), body: ['{"data":[', ...data.pieces, `],${rest}`] };
};

/**
 * The default is that no cache keeps a reply, no browser guesses its type, and no page of another
 * origin may load it.
 */
const everyReply = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** Aborts when the client is gone, or has its answer. */
export const goneSignal = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
};

/** Sends a reply once it is known. When that fails, the connection is closed. */
export const respond = (
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply | Promise<Reply>,
  log: Log,
): void => {
  Promise.resolve(reply)
    .then(known => (response.destroyed ? undefined : send(request, response, known)))
    .catch(error => {
      log('answer-failed', { reason: reasonOf(error) });
      response.destroy();
    });
};

/** Resolves when the reply is written, or its client is gone. */
export const send = async (request: IncomingMessage, response: ServerResponse, reply: Reply): Promise<void> => {
  const { status, headers, body } = reply;
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body);
  const length = isWhole ? { 'content-length': Buffer.byteLength(body) } : {};
  response.writeHead(status, { ...everyReply, ...headers, ...length });
  if (request.method === 'HEAD') {
    response.end();
  } else if (!isWhole) {
    await sendPieces(response, body);
  } else if (headers.connection === 'close') {
    response.write(body);
    endAfterBody(request, response);
  } else {
    response.end(body);
  }
};

const sendPieces = async (
  response: ServerResponse,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<void> => {
  try {
    await pipeline(Readable.from(onePerTurn(pieces)), response);
  } catch (error) {
    // A client may stop reading: that is no failure of the server.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
};

/**
 * Makes one piece in each turn of the event loop, so that hits are taken between two pieces of a
 * large file.
 */
async function* onePerTurn(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}
