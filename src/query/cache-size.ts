/** How much is kept of sealed days where nobody says. */
import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

const MiB = 1024 * 1024;

/** Enough for so many hits, of which then half of what is read stays: less would make the usual questions slower, more would let the process grow above 600 MB. */
const [bytesAtLeast, hitsOfThat] = [96 * MiB, 10_000_000];
/** Of the machine's memory, for more hits than that. */
const memoryPart = 1 / 8;

/** Bytes that the machine has, or as many as the process may use of them. */
const memoryOfProcess = (): number => Math.min(totalmem(), constrainedMemory() || Number.POSITIVE_INFINITY);

/** In proportion to the hits, so that questions about many take no longer for each than questions about few; bounded by the memory. In bytes. */
export const cacheBytesFor = (sealedHits: number, memoryBytes = memoryOfProcess()): number => {
  const wanted = Math.ceil((bytesAtLeast * sealedHits) / hitsOfThat);
  return Math.max(bytesAtLeast, Math.min(wanted, Math.floor(memoryBytes * memoryPart)));
};
