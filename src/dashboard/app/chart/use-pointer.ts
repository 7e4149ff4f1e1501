/**
 * The pointer on a chart: it reads buckets, a click or a drag of the mouse chooses some, and of
 * taps the first reads and the second chooses.
 */
import { useEffect, useRef, useState } from 'preact/hooks';

/** Pixels that a drag has at least. */
const dragMinPx = 4;

type PlotEvent = PointerEvent & { currentTarget: SVGRectElement };

/** The first and the last bucket of a drag that goes on. */
export interface ChartSelection {
  first: number;
  last: number;
}

export type PlotHandlers = ReturnType<typeof usePointer>['handlers'];

export const usePointer = (
  dates: readonly string[],
  onPoint: (index: number | null) => void,
  onChoose: ((first: number, last: number) => void) | undefined,
) => {
  const [selection, setSelection] = useState<ChartSelection | null>(null);
  const pressed = useRef<{ x: number; index: number } | null>(null);
  /** The bucket that a finger has read. */
  const tapped = useRef<number | null>(null);
  useEffect(() => {
    tapped.current = null;
  }, [dates]);

  const indexAt = ({ clientX, currentTarget }: PlotEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const index = Math.round(((clientX - left) / width) * (dates.length - 1));
    return Math.min(Math.max(index, 0), dates.length - 1);
  };
  const release = (): void => {
    pressed.current = null;
    setSelection(null);
  };
  const handlers = {
    onPointerDown(event: PlotEvent) {
      if (event.pointerType === 'touch' || event.button !== 0) return;
      pressed.current = { x: event.clientX, index: indexAt(event) };
      // A drag may end beside the plot.
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PlotEvent) {
      if (event.pointerType === 'touch') return;
      const index = indexAt(event);
      onPoint(index);
      const from = pressed.current;
      if (from === null || onChoose === undefined || Math.abs(event.clientX - from.x) < dragMinPx) return;
      setSelection({ first: Math.min(from.index, index), last: Math.max(from.index, index) });
    },
    onPointerUp(event: PlotEvent) {
      const index = indexAt(event);
      if (event.pointerType === 'touch') {
        onPoint(index);
        if (tapped.current === index) onChoose?.(index, index);
        tapped.current = index;
      } else if (selection !== null) onChoose?.(selection.first, selection.last);
      else if (pressed.current !== null) onChoose?.(index, index);
      release();
    },
    onPointerCancel: release,
    onPointerLeave({ pointerType }: PlotEvent) {
      if (pointerType !== 'touch' && pressed.current === null) onPoint(null);
    },
  };
  return { selection, handlers };
};
