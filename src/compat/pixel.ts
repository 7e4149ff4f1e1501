/** Answers to hits that a page sends as an image. */
import { type PreparedReply, prepared } from '../collect/replies.ts';
import { type Outcome, outcomes } from '../model/outcomes.ts';

/** A GIF of one transparent pixel, 43 bytes. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

/** The status of a hit that ended like this: an image has no more than one for all mistakes. */
export const pixelStatus = (outcome: Outcome): number => {
  const { status } = outcomes[outcome];
  return status === 404 ? 400 : status;
};

export const pixelReply = (status: number, ...headers: string[]): PreparedReply =>
  prepared(
    status,
    'image/gif',
    pixel,
    ...['cache-control', 'no-store', 'cross-origin-resource-policy', 'cross-origin'],
    ...headers,
  );
