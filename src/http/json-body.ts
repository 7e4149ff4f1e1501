/** The JSON of a request to anything but the collector, whose answers to hits are its own. */
import type { IncomingMessage } from 'node:http';
import { depthMax, isTooDeep, parseJson, readBody } from './body.ts';
import { type ErrorCode, HttpError } from './errors.ts';

/**
 * Undefined where the body is no JSON. Throws HttpError with the code `tooLarge` above so many
 * bytes, and where lists and objects are nested too deep. Never settles when the client goes away:
 * then nobody waits for an answer.
 */
export const readJson = (request: IncomingMessage, bytesMax: number, tooLarge: ErrorCode): Promise<unknown> =>
  new Promise((resolve, reject) => {
    readBody(request, bytesMax, bytes => {
      if (bytes === undefined) reject(new HttpError(tooLarge));
      else if (isTooDeep(bytes)) reject(new HttpError('json-too-deep', { error: tooDeep }));
      else resolve(parseJson(bytes));
    });
  });

export const tooDeep = `the JSON is nested more than ${depthMax} levels deep`;
