/** What is wrong with a question, as Plausible's clients are told: a sentence under `error`. */
import { HttpError } from '../../http/errors.ts';

export const badQuery = (sentence: string): HttpError => new HttpError('bad-parameter', { error: sentence });
