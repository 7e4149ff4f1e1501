/**
 * Numbers over time: a picture, and a slider for the keyboard and screen readers. Arrow keys move
 * through the buckets, and each reads out its date and numbers. A drag, a click or Enter chooses a
 * period.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { bucketOf, formatShort, type ShownBucket } from '../format.ts';
import { wholeSteps } from '../metric-text.ts';
import { t } from '../texts/text.ts';
import { layoutOf, type Scale, type Size } from './layout.ts';
import { Picture } from './picture.tsx';
import { type ChartSeries, Readout, spoken } from './readout.tsx';
import { usePointer } from './use-pointer.ts';

export interface TimeChartProps {
  label: string;
  dates: readonly string[];
  /** What each date is the beginning of; by default what their distance says. */
  bucket?: ShownBucket;
  series: ChartSeries;
  /** The last bucket is not over yet. */
  isOpen: boolean;
  scale?: Scale;
  /** Texts of notes by bucket. */
  notes?: ReadonlyMap<number, readonly string[]>;
  /**
   * Called with the first and last bucket that somebody chooses; missing where nothing can be
   * chosen.
   */
  onChoose?: ((first: number, last: number) => void) | undefined;
}

const plainScale: Scale = { text: formatShort, steps: wholeSteps };
const noNotes: ReadonlyMap<number, readonly string[]> = new Map();

export const TimeChart = (props: TimeChartProps) => {
  const { label, dates, series, isOpen, onChoose, scale = plainScale, notes = noNotes } = props;
  const { bucket = bucketOf(dates) } = props;
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const [pointed, setPointed] = useState<number | null>(null);
  const { selection, handlers } = usePointer(dates, setPointed, onChoose);

  const { values, earlier = null } = series;
  const layout = useMemo(
    () => layoutOf({ dates, bucket, values, earlier: earlier?.values ?? null, isOpen, scale }, size),
    [dates, bucket, values, earlier, isOpen, scale, size],
  );
  const last = Math.max(dates.length - 1, 0);
  const at = Math.min(pointed ?? last, last);
  const onKey = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      setPointed(Math.min(Math.max(to, 0), last));
    }
    if (event.key === 'Enter') onChoose?.(at, at);
  };
  const shown = { dates, bucket, series, isOpen, notes };
  const read = pointed !== null && dates[pointed] !== undefined ? pointed : null;
  return (
    <div class="time-chart">
      <div
        ref={box}
        class="chart-focus"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at}
        aria-valuetext={dates.length === 0 ? t('chart.empty') : spoken(shown, at)}
        onKeyDown={onKey}
        onFocus={event => event.currentTarget.matches(':focus-visible') && setPointed(at)}
        onBlur={() => setPointed(null)}
      >
        {size.widthPx > 0 && (
          <Picture
            layout={layout}
            notes={notes}
            pointed={read}
            values={[earlier?.values, values]}
            selection={selection}
            handlers={handlers}
          />
        )}
      </div>
      {read !== null && (
        <Readout shown={shown} index={read} leftPx={layout.x(read)} isBefore={layout.x(read) > size.widthPx / 2} />
      )}
    </div>
  );
};

/** Of an element in the page, in whole pixels; 0 until it is there. */
const useSize = (element: RefObject<HTMLElement | null>): Size => {
  const [size, setSize] = useState<Size>({ widthPx: 0, heightPx: 0 });
  useLayoutEffect(() => {
    const measure = (): void => {
      const { clientWidth: widthPx, clientHeight: heightPx } = element.current!;
      setSize(last => (last.widthPx === widthPx && last.heightPx === heightPx ? last : { widthPx, heightPx }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return size;
};
