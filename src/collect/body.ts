/** The body of a request: read whole, in bounds, and as JSON. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

/**
 * Hands over the body once it is there; undefined as soon as it is known to be larger than `bytesMax`, by what the
 * request says or by what has come. Never calls back when the client goes away in the middle: such a request has not
 * arrived.
 */
export const readBody = (
  request: IncomingMessage,
  bytesMax: number,
  done: (body: Buffer | undefined) => void,
): void => {
  if (Number(request.headers['content-length']) > bytesMax) {
    done(undefined);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes <= bytesMax) return;
    request.off('data', onData);
    request.off('end', onEnd);
    done(undefined);
  };
  const onEnd = (): void => done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  request.on('data', onData);
  request.on('end', onEnd);
};

/** The value that UTF-8 JSON means; undefined when it is neither, which no JSON means. */
export const parseJson = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
};

/** How long a client that was refused may go on sending. */
const lingerMs = 1000;

/**
 * Answers a request whose body is not wanted, and closes its connection. What still comes is thrown away for a moment:
 * closing with bytes unread would reset the connection, and the client might lose the answer.
 */
export const sendAndDiscard = (request: IncomingMessage, response: ServerResponse, answer: Answer): void => {
  response.writeHead(answer.status, [...answer.headers, 'connection', 'close']);
  response.write(answer.body);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs).unref();
  request.once('end', end).once('close', end).resume();
};
