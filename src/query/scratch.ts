/**
 * Working memory that is used again from day to day and from query to query. A fresh array for
 * every step of every day would cost more than the steps do.
 */

/** Lends memory to one piece of work. It throws once that work has ended. */
export interface Scratch {
  /** An array of `length` with unknown content. */
  take(length: number): Uint32Array;
  /** As `take`, filled with zeros. */
  zeros(length: number): Uint32Array;
  /** As `take`, of bytes. */
  bytes(length: number): Uint8Array;
  /** The numbers from 0 to below `length`. Do not write to them. */
  identity(length: number): Uint32Array;
  /**
   * Does work that has memory of its own. Others get that memory as soon as `work` returns, so its
   * result must not hold any of it.
   */
  within<T>(work: (scratch: Scratch) => T): T;
}

export interface ScratchPool extends Pick<Scratch, 'within'> {
  /**
   * Lets go of all idle memory if it is more than `bytesMax`: one enormous day should not cost
   * memory for ever after.
   */
  trim(bytesMax: number): void;
}

/** A buffer has 2 ** n bytes, and at least a page. */
const leastSize = 12;
const sizeOf = (bytes: number): number => Math.max(leastSize, 32 - Math.clz32(Math.max(bytes, 1) - 1));

/** `onIdle` gets each buffer before it is lent: when it is made, and when work gives it back. */
export const createScratchPool = (onIdle: (buffer: ArrayBuffer) => void = () => {}): ScratchPool => {
  /** By size. The buffer that came back last is lent first: it may still be in the cache. */
  let idle: ArrayBuffer[][] = [];
  let numbers = new Uint32Array(0);

  const identity = (length: number): Uint32Array => {
    if (numbers.length < length) numbers = new Uint32Array(Math.ceil(length * 1.25)).map((_, number) => number);
    return numbers.subarray(0, length);
  };

  const lend = (bytes: number): ArrayBuffer => {
    const size = sizeOf(bytes);
    const known = idle[size]?.pop();
    if (known !== undefined) return known;
    const made = new ArrayBuffer(2 ** size);
    onIdle(made);
    return made;
  };

  const giveBack = (buffer: ArrayBuffer): void => {
    onIdle(buffer);
    const size = sizeOf(buffer.byteLength);
    idle[size] ??= [];
    idle[size].push(buffer);
  };

  const within = <T>(work: (scratch: Scratch) => T): T => {
    const lent: ArrayBuffer[] = [];
    let hasEnded = false;
    const buffer = (bytes: number): ArrayBuffer => {
      if (hasEnded) throw new Error('the work that this memory is for has ended');
      const one = lend(bytes);
      lent.push(one);
      return one;
    };
    const take = (length: number): Uint32Array => new Uint32Array(buffer(4 * length), 0, length);
    const zeros = (length: number): Uint32Array => take(length).fill(0);
    const bytes = (length: number): Uint8Array => new Uint8Array(buffer(length), 0, length);
    try {
      return work({ take, zeros, bytes, identity, within });
    } finally {
      hasEnded = true;
      lent.reverse().forEach(giveBack);
    }
  };

  return {
    within,
    trim(bytesMax) {
      const bytes = [...idle.flat(), numbers].reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (bytes <= bytesMax) return;
      idle = [];
      numbers = new Uint32Array(0);
    },
  };
};
