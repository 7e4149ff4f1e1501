/** How much query threads keep of sealed days by default. */
import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

const MiB = 1024 * 1024;

/**
 * Enough for so many hits: it holds half of what is read of them. With less, usual questions take
 * longer. With more, the process grows above 600 MB.
 */
const [bytesAtLeast, hitsOfThat] = [96 * MiB, 10_000_000];
/** The part of the memory that more hits than that may take, and those fewer. */
const [memoryPart, leastPart] = [1 / 8, 1 / 4];

/** Bytes of memory that the process may use: of the machine, or of a container that has less. */
export const memoryOfProcess = (): number => Math.min(totalmem(), constrainedMemory() || Number.POSITIVE_INFINITY);

/** In bytes, in proportion to the hits: then the time per hit does not grow with their number. */
export const cacheBytesFor = (sealedHits: number, memoryBytes = memoryOfProcess()): number => {
  const wanted = Math.ceil((bytesAtLeast * sealedHits) / hitsOfThat);
  const least = Math.min(bytesAtLeast, Math.floor(memoryBytes * leastPart));
  return Math.max(least, Math.min(wanted, Math.floor(memoryBytes * memoryPart)));
};

/** What one question may find out before it is merged: a part of the memory, and at least this. */
const [foundPart, foundAtLeast] = [1 / 8, 256 * MiB];

/** In bytes. */
export const foundBytesFor = (memoryBytes = memoryOfProcess()): number =>
  Math.max(foundAtLeast, Math.floor(memoryBytes * foundPart));
