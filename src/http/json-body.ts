/** The JSON of a request to anything but the collector, whose answers to hits are its own. */
import type { IncomingMessage } from 'node:http';
import { isRecord } from '../model/record.ts';
import { depthMax, isTooDeep, parseJson, wholeBody } from './body.ts';
import { type ErrorCode, HttpError } from './errors.ts';

/** Long lists of excluded addresses and paths fit in. */
export const fieldsBytesMax = 64 * 1024;

export type Body = Readonly<Record<string, unknown>>;

/**
 * The bytes of a body that is to be JSON. Throws HttpError with the code `tooLarge` above so many
 * bytes, and where lists and objects are nested too deep.
 */
export const jsonBytes = async (request: IncomingMessage, bytesMax: number, tooLarge: ErrorCode): Promise<Buffer> => {
  const bytes = await wholeBody(request, bytesMax, () => new HttpError(tooLarge));
  if (isTooDeep(bytes)) throw new HttpError('json-too-deep', { error: tooDeep });
  return bytes;
};

/** The value of a body; undefined where it is no JSON. Throws as `jsonBytes` does. */
export const readJson = async (request: IncomingMessage, bytesMax: number, tooLarge: ErrorCode): Promise<unknown> =>
  parseJson(await jsonBytes(request, bytesMax, tooLarge));

/** The fields of a body. Throws as `readJson` does, and with the code `notFields` for any other. */
export const readFields = async (
  request: IncomingMessage,
  tooLarge: ErrorCode,
  notFields: ErrorCode,
): Promise<Body> => {
  const body = await readJson(request, fieldsBytesMax, tooLarge);
  if (isRecord(body)) return body;
  throw new HttpError(notFields);
};

export const tooDeep = `the JSON is nested more than ${depthMax} levels deep`;
