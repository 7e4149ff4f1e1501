/** Working memory that is full of garbage whenever it is lent, as if other work had just used it. */
import { createScratchPool, type ScratchPool } from '../../src/query/scratch.ts';

export const poisonedScratch = (): ScratchPool =>
  createScratchPool(buffer => {
    new Uint32Array(buffer).fill(0xdeadbeef);
  });
