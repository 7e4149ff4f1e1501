/** How much query threads keep of sealed days by default. */
import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

const MiB = 1024 * 1024;

/** With more, the process grows above 600 MB, and in little memory it takes a part of that. */
const [bytesMax, memoryPart] = [256 * MiB, 1 / 8];

/** Bytes of memory that the process may use: of the machine, or of a container that has less. */
export const memoryOfProcess = (): number => Math.min(totalmem(), constrainedMemory() || Number.POSITIVE_INFINITY);

/** In bytes. */
export const cacheBytesFor = (memoryBytes = memoryOfProcess()): number =>
  Math.min(bytesMax, Math.floor(memoryBytes * memoryPart));

/** What one question may find out before it is merged: a part of the memory, and at least this. */
const [foundPart, foundAtLeast] = [1 / 8, 256 * MiB];

/** In bytes. */
export const foundBytesFor = (memoryBytes = memoryOfProcess()): number =>
  Math.max(foundAtLeast, Math.floor(memoryBytes * foundPart));
