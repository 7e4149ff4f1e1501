/**
 * What failures say in the language of whoever asked. In English an error speaks for itself; the
 * texts of other languages have a sentence for each code (`failure.app-taken`), and for each field
 * that holds a value of no use (`failure.domain`).
 */
import type { HttpError } from '../http/errors.ts';
import type { Reply } from '../http/reply.ts';

/** The reply of an error, in the language of these texts. */
export const replyIn = (texts: Readonly<Record<string, string>>, { code, field, reply }: HttpError): Reply => {
  const text = texts[`failure.${code === 'app-bad-value' ? (field ?? '') : code}`];
  return text === undefined ? reply : { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), error: text }) };
};
