/** How much is kept of sealed days where nobody says. */
import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

const MiB = 1024 * 1024;

/**
 * What is enough for so many hits: half of what is read of them stays. With less the usual questions would take longer, with more the
 * process would grow above 600 MB.
 */
const [bytesAtLeast, hitsOfThat] = [96 * MiB, 10_000_000];
/** The part of the memory that more hits than that may take. */
const memoryPart = 1 / 8;

/** Bytes that the machine has, or as many as the process may use of them. */
const memoryOfProcess = (): number => Math.min(totalmem(), constrainedMemory() || Number.POSITIVE_INFINITY);

/** In bytes. In proportion to the hits, so that a question about many takes no longer for each than one about few. */
export const cacheBytesFor = (sealedHits: number, memoryBytes = memoryOfProcess()): number => {
  const wanted = Math.ceil((bytesAtLeast * sealedHits) / hitsOfThat);
  return Math.max(bytesAtLeast, Math.min(wanted, Math.floor(memoryBytes * memoryPart)));
};
