/**
 * Numbers over time: a picture, and a slider for the keyboard and screen readers. Arrow keys move
 * through the buckets, and each reads out its date and numbers. A drag, a click or Enter chooses a
 * period.
 */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useApp, useSite } from '../app-context.ts';
import { bucketOf, formatShort, localDate, type ShownBucket } from '../format.ts';
import { wholeSteps } from '../metric-text.ts';
import { t } from '../texts/text.ts';
import { endsOpen } from './buckets.ts';
import { Flags } from './flags.tsx';
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
  scale?: Scale;
  /** Texts of notes by bucket. */
  notes?: ReadonlyMap<number, readonly string[]>;
  /**
   * Called with the first and last bucket that somebody chooses; missing where nothing can be
   * chosen.
   */
  onChoose?: ((first: number, last: number) => void) | undefined;
  /** Called with the bucket that somebody wants to write a note on; missing where nobody may. */
  onNote?: ((index: number) => void) | undefined;
}

const plainScale: Scale = { text: formatShort, steps: wholeSteps };
const noNotes: ReadonlyMap<number, readonly string[]> = new Map();

export const TimeChart = (props: TimeChartProps) => {
  const { label, dates, series, onChoose, onNote, scale = plainScale, notes = noNotes } = props;
  const { bucket = bucketOf(dates) } = props;
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const isOpen = useIsOpen(dates, bucket);
  const { values, earlier = null } = series;
  const layout = useMemo(() => {
    const hasFlags = notes.size > 0;
    return layoutOf({ dates, bucket, values, earlier: earlier?.values ?? null, isOpen, scale, hasFlags }, size);
  }, [dates, bucket, values, earlier, isOpen, scale, size, notes.size]);
  const last = Math.max(dates.length - 1, 0);
  const { at, read, kept, setPointed, choose, onKey, leave, onEscape } = useRead(props, last, box);
  const { selection, handlers } = usePointer(dates, setPointed, onChoose && choose);
  const shown = { dates, bucket, series, isOpen, notes };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is inside takes the keys
    <div class="time-chart" onKeyDown={onEscape} onFocusOut={leave}>
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
      >
        {size.widthPx > 0 && (
          // Of another size it is another one: what glides to new numbers would run over the edge.
          <Picture
            key={`${size.widthPx} ${size.heightPx}`}
            layout={layout}
            notes={notes}
            pointed={read}
            values={[earlier?.values, values]}
            selection={selection}
            handlers={handlers}
          />
        )}
      </div>
      <Flags layout={layout} notes={notes} />
      {read !== null && (
        <Readout shown={shown} index={read} leftPx={layout.x(read)} isBefore={layout.x(read) > size.widthPx / 2}>
          {kept !== null && onNote !== undefined && (
            <p class="readout-does">
              <button ref={focused} type="button" class="button" onClick={() => onNote(kept)}>
                {t('note.add')}
              </button>
              <button type="button" class="button" onClick={() => onChoose?.(kept, kept)}>
                {t(`chart.only.${bucket}`)}
              </button>
            </p>
          )}
        </Readout>
      )}
    </div>
  );
};

const useIsOpen = (dates: readonly string[], bucket: ShownBucket): boolean => {
  const { now } = useApp();
  const { site } = useSite();
  return endsOpen(dates, bucket, localDate(now(), site.timezone));
};

/** Which bucket is read, by the pointer or the keys, and which one stays for what can be done. */
const useRead = ({ dates, onChoose, onNote }: TimeChartProps, last: number, box: RefObject<HTMLDivElement | null>) => {
  const [pointed, setPointed] = useState<number | null>(null);
  const [kept, setKept] = useState<number | null>(null);
  useEffect(() => setKept(null), [dates]);
  const at = Math.min(pointed ?? last, last);
  const chosen = kept ?? pointed;
  const choose = (first: number, to: number): void => {
    if (onNote !== undefined && first === to) setKept(first);
    else onChoose?.(first, to);
  };
  return {
    ...{ at, kept, setPointed, choose },
    read: chosen !== null && dates[chosen] !== undefined ? chosen : null,
    onKey(event: KeyboardEvent): void {
      const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
      const to = steps[event.key];
      if (to !== undefined) {
        event.preventDefault();
        setKept(null);
        setPointed(Math.min(Math.max(to, 0), last));
      }
      if (event.key !== 'Enter' || onChoose === undefined) return;
      event.preventDefault();
      choose(at, at);
    },
    leave({ currentTarget, relatedTarget }: FocusEvent): void {
      if (currentTarget instanceof Node && relatedTarget instanceof Node && currentTarget.contains(relatedTarget))
        return;
      setKept(null);
      setPointed(null);
    },
    onEscape(event: KeyboardEvent): void {
      if (event.key !== 'Escape' || kept === null) return;
      setKept(null);
      box.current?.focus();
    },
  };
};

const focused = (button: HTMLButtonElement | null): void => button?.focus({ preventScroll: true });

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
