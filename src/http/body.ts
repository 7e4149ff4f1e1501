/** The body of a request: read whole, within a bound, and parsed as JSON. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Calls `done` with the whole body, or with undefined as soon as the body is known to exceed
 * `bytesMax`, by its stated length or by what has come. Never calls it when the client goes away
 * before the end: such a request has not arrived.
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

/**
 * The whole body. Rejects with the error that `tooLarge` makes above so many bytes. Never settles
 * when the client goes away: then nobody waits for an answer.
 */
export const wholeBody = (request: IncomingMessage, bytesMax: number, tooLarge: () => Error): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    readBody(request, bytesMax, body => (body === undefined ? reject(tooLarge()) : resolve(body))),
  );

/** Nested lists and objects. Deeper ones could overflow the stack of whoever reads them. */
export const depthMax = 100;

/** Whether JSON is nested deeper than that, found without reading it. */
export const isTooDeep = (json: Buffer): boolean => {
  if (json.length <= 2 * depthMax) return false;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) isInText = !isInText;
    else if (isInText) at += byte === backslash ? 1 : 0;
    else if (byte === openList || byte === openObject) depth++;
    else if (byte === closeList || byte === closeObject) depth--;
    if (depth > depthMax) return true;
  }
  return false;
};
const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The value of JSON in UTF-8; undefined when the bytes are not that, since no JSON means undefined,
 * and when they are nested too deep: to read brackets costs a hundred times as much as to count
 * them.
 */
export const parseJson = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes) || isTooDeep(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // The caller refuses it, like any other body of a wrong shape.
    return undefined;
  }
};

/** How long a refused client may go on sending. */
const lingerMs = 1000;

/**
 * Ends a response whose request was not read to its end. What still comes is discarded for a
 * moment: closing a connection with unread bytes resets it, and the client might lose the response.
 */
export const endAfterBody = (request: IncomingMessage, response: ServerResponse): void => {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs).unref();
  request.once('end', end).once('close', end).resume();
};
