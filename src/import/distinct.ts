/**
 * Counts different digests: exactly up to some millions, and beyond that by those in a part of all
 * digests that is as large as there is room for, which is off by less than a thousandth.
 */

const keptMaxDefault = 2 ** 21;

export const distinctCounter = (keptMax = keptMaxDefault) => {
  const slots = 2 * keptMax;
  let table = new BigUint64Array(1024);
  let kept = 0;
  /** One of 2^level digests is kept. */
  let level = 0;

  const insert = (digest: bigint): boolean => {
    const mask = table.length - 1;
    let at = Number(digest >> 40n) & mask;
    while (table[at] !== 0n) {
      if (table[at] === digest) return false;
      at = (at + 1) & mask;
    }
    table[at] = digest;
    return true;
  };
  const isKept = (digest: bigint): boolean => (digest & ((1n << BigInt(level)) - 1n)) === 0n;
  const rebuild = (length: number): void => {
    const before = table;
    table = new BigUint64Array(length);
    kept = 0;
    for (const digest of before) if (digest !== 0n && isKept(digest) && insert(digest)) kept++;
  };

  return {
    add(digests: BigUint64Array) {
      for (const given of digests) {
        // 0 stands for a free slot.
        const digest = given === 0n ? 1n << 63n : given;
        if (!isKept(digest) || !insert(digest)) continue;
        kept++;
        if (2 * kept < table.length) continue;
        if (table.length < slots) rebuild(2 * table.length);
        else {
          level++;
          rebuild(table.length);
        }
      }
    },
    count: () => kept * 2 ** level,
  };
};
