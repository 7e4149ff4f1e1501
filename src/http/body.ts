/** The body of a request: read whole, within a bound, and parsed as JSON. */
import { isUtf8 } from 'node:buffer';
import { IncomingMessage, type ServerResponse } from 'node:http';

/**
 * A request that can hand over its body past the stream that Node makes of it. For a small request,
 * the stream is a sixth of Node's work.
 */
export class ServedRequest extends IncomingMessage {
  /** Called with each chunk, and with null at the end. */
  #take: ((chunk: Buffer | null) => void) | undefined;
  #isStreamed = false;

  /** Node's parser calls it, also with null at the end. */
  override push(chunk: Buffer | null): boolean {
    if (this.#take === undefined) {
      this.#isStreamed = true;
      return super.push(chunk);
    }
    this.#take(chunk);
    if (chunk !== null) return true;
    // The stream ends as well: then Node lets go of the request, and this of the body.
    this.#take = undefined;
    return super.push(null);
  }

  /** Hands over what comes from now on. False when some has come, which is in the stream. */
  handOver(take: (chunk: Buffer | null) => void): boolean {
    if (!this.#isStreamed) this.#take = take;
    return !this.#isStreamed;
  }

  /** What comes from now on is streamed. */
  stream(): void {
    this.#take = undefined;
  }
}

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
  const take = (chunk: Buffer | null): void => {
    if (chunk === null) {
      done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      return;
    }
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes <= bytesMax) return;
    if (request instanceof ServedRequest) request.stream();
    request.off('data', take).off('end', end);
    done(undefined);
  };
  const end = (): void => take(null);
  if (request instanceof ServedRequest && request.handOver(take)) return;
  request.on('data', take).on('end', end);
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
