/** Errors as Umami's clients are told of them. */
import { HttpError } from '../../http/errors.ts';
import { json, type Reply } from '../../http/reply.ts';

const codes: Readonly<Record<number, string>> = {
  400: 'bad-request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  405: 'method-not-allowed',
  413: 'payload-too-large',
  429: 'too-many-requests',
  500: 'server-error',
  503: 'service-unavailable',
};

export const badRequest = (message: string): HttpError => new HttpError('bad-parameter', { error: message });
export const unauthorized = (message = 'Unauthorized'): HttpError => new HttpError('no-key', { error: message });

/** `code` is that of the status where nothing else is said. */
export const errorReply = ({ message, reply }: HttpError, code?: string): Reply => {
  const { status, headers } = reply;
  return json(status, { error: { message, code: code ?? codes[status] ?? 'error', status } }, headers);
};
