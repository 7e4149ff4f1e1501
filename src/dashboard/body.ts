/** What a request's body says: read with a bound, and field by field with the same functions that read the command line. */
import type { IncomingMessage } from 'node:http';
import { isRecord } from '../model/record.ts';
import { ValueError } from '../model/values.ts';
import { UniqueViolation } from '../store/unique-violation.ts';
import { Failed } from './failure.ts';

export type Body = Readonly<Record<string, unknown>>;

/** Long lists of excluded addresses and paths fit in. */
const bodyBytesMax = 64 * 1024;

/** The JSON object of a request. Throws Failed for what is none, or too large. */
export const readBody = async (request: IncomingMessage): Promise<Body> => {
  const body = parsed(await readText(request));
  if (isRecord(body)) return body;
  throw new Failed(400, 'The body is no JSON object.');
};

const readText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Not destroyed by an early end, so that the refusal still gets out.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) break;
      chunks.push(chunk);
    }
  } catch {
    // The client went away in the middle, and nobody will read this.
    throw new Failed(400, 'The request broke off.');
  }
  if (bytes <= bodyBytesMax) return Buffer.concat(chunks).toString();
  // The rest is not worth reading, and the connection not worth keeping.
  throw new Failed(413, 'That is too much at once.', {}, { connection: 'close' });
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Refused by the caller, like any other body that is no object.
    return undefined;
  }
};

/** A field that must be there, as `read` understands it. */
export const field = <T>(body: Body, name: string, read: (typed: string) => T): T => {
  const value = body[name];
  if (typeof value !== 'string') throw new Failed(400, 'This is needed, as text.', { field: name });
  return reading(name, () => read(value));
};

/** A field as an object of its own, to be spread into others; an empty one where it is left out. */
export const optional = <N extends string, T>(body: Body, name: N, read: (typed: string) => T): { [K in N]?: T } =>
  body[name] === undefined ? {} : ({ [name]: field(body, name, read) } as { [K in N]?: T });

/** The same for a list of texts. */
export const optionalList = <N extends string, T>(
  body: Body,
  name: N,
  read: (typed: readonly string[]) => T,
): { [K in N]?: T } => {
  const value = body[name];
  if (value === undefined) return {};
  if (!Array.isArray(value) || !value.every(entry => typeof entry === 'string'))
    throw new Failed(400, 'This is needed, as a list of texts.', { field: name });
  return { [name]: reading(name, () => read(value)) } as { [K in N]?: T };
};

const reading = <T>(name: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof ValueError ? new Failed(400, error.message, { field: name }) : error;
  }
};

/** Does a write whose `name` may be taken already. */
export const unlessTaken = <T>(name: string, write: () => T): T => {
  try {
    return write();
  } catch (error) {
    throw error instanceof UniqueViolation ? new Failed(409, error.message, { field: name }) : error;
  }
};

/** Any text as it is. */
export const asTyped = (typed: string): string => typed;
