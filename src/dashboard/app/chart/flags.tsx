/** Notes above a chart: flags with their first words. The readout has them whole. */
import type { Layout } from './layout.ts';

const widthMaxPx = 168;
/** A narrower flag would have no room for words. */
const wordsMinPx = 60;
/** Where a flag flies to the left. */
const backFrom = 0.86;
const gapPx = 6;

export const Flags = ({ layout, notes }: { layout: Layout; notes: ReadonlyMap<number, readonly string[]> }) => {
  const { left, right, x } = layout;
  const places = [...notes.keys()].sort((a, b) => a - b);
  return (
    <div aria-hidden="true">
      {places.map((index, i) => {
        const at = x(index);
        const isBack = at > left + (right - left) * backFrom;
        const next = places[i + 1];
        const before = places[i - 1];
        const room = isBack
          ? at - (before === undefined ? left : x(before))
          : (next === undefined ? right : x(next)) - at;
        const width = Math.min(room - gapPx, widthMaxPx);
        return (
          <span
            key={index}
            class={`note-flag${isBack ? ' back' : ''}${width < wordsMinPx ? ' wordless' : ''}`}
            style={{ left: `${at}px`, '--width': `${width}px` }}
          >
            <span>{notes.get(index)!.join(' · ')}</span>
          </span>
        );
      })}
    </div>
  );
};
