/** Where the steps of a column stand, and the bands from a chosen one to what came next. */

/** The height of a column, unless its steps need more. */
const columnPx = 500;
/** A step has room for its words, and a gap to the next. */
const stepMinPx = 32;
const gapPx = 6;

export interface StepPlace {
  topPx: number;
  heightPx: number;
}

/** Heights are shares of the column; steps that are too small get the least that can be read. */
export const placesOf = (counts: readonly number[]): StepPlace[] => {
  const room = Math.max(columnPx, counts.length * (stepMinPx + gapPx)) - gapPx * (counts.length - 1);
  const small = new Set<number>();
  let perCount = 0;
  // Each turn finds more that are too small, so there are at most as many as steps.
  for (let before = -1; before !== small.size; ) {
    before = small.size;
    const large = counts.reduce((sum, count, i) => (small.has(i) ? sum : sum + count), 0);
    perCount = (room - small.size * stepMinPx) / Math.max(large, 1);
    for (const [i, count] of counts.entries()) if (count * perCount < stepMinPx) small.add(i);
  }
  let topPx = 0;
  return counts.map((count, i) => {
    const place = { topPx, heightPx: small.has(i) ? stepMinPx : count * perCount };
    topPx += place.heightPx + gapPx;
    return place;
  });
};

export const heightOf = (places: readonly StepPlace[]): number => {
  const last = places.at(-1);
  return last === undefined ? 0 : last.topPx + last.heightPx;
};

/**
 * A band to each place of the next column, as a path on 100 units of width: from its share of the
 * chosen place to all of that place.
 */
export const bandsOf = (from: StepPlace, counts: readonly number[], places: readonly StepPlace[]): string[] => {
  const all = Math.max(
    counts.reduce((sum, count) => sum + count, 0),
    1,
  );
  let top = from.topPx;
  return places.map(({ topPx, heightPx }, i) => {
    const bottom = top + (counts[i]! / all) * from.heightPx;
    const [a, b, c, d] = [top, bottom, topPx, topPx + heightPx].map(px => px.toFixed(1));
    top = bottom;
    return `M0 ${a}C45 ${a} 55 ${c} 100 ${c}V${d}C55 ${d} 45 ${b} 0 ${b}z`;
  });
};
