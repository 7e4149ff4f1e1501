/** The numbers of one bucket of a chart, to be read and to be heard. */
import type { ComponentChildren } from 'preact';
import { formatBucket, formatNumber, type ShownBucket } from '../format.ts';
import { Change } from '../parts/change.tsx';
import { t } from '../texts/text.ts';
import { bucketName } from './buckets.ts';

export interface ChartSeries {
  label: string;
  /** Null where nothing is known. */
  values: readonly (number | null)[];
  /** The same in the window compared with, bucket by bucket. */
  earlier?: Earlier | null;
  /** A value in words; by default a plain number. */
  text?: (value: number | null) => string;
}

/** For each bucket what it is compared with; null where that is nothing. */
export interface Earlier {
  dates: readonly (string | null)[];
  values: readonly (number | null)[];
  changes: readonly (number | null)[];
  /** Less is better. */
  isInverted: boolean;
  /** Neither is. */
  isNeutral: boolean;
}

export interface Shown {
  dates: readonly string[];
  bucket: ShownBucket;
  series: ChartSeries;
  /** The last bucket is not over yet. */
  isOpen: boolean;
  /** Texts of notes by bucket. */
  notes: ReadonlyMap<number, readonly string[]>;
}

/** A bucket as a screen reader says it. */
export const spoken = (shown: Shown, index: number): string => {
  const { series, bucket, notes } = shown;
  const before = series.earlier?.dates[index] ?? null;
  return [
    nameOf(shown, index),
    `${textOf(series, series.values[index])} ${series.label}`,
    ...(before === null ? [] : [`${formatBucket(before, bucket)}: ${textOf(series, series.earlier!.values[index])}`]),
    ...(notes.get(index) ?? []),
  ].join(', ');
};

interface ReadoutProps {
  shown: Shown;
  index: number;
  leftPx: number;
  /** On which side of the bucket there is room. */
  isBefore: boolean;
  /** What can be done with the bucket; it stays while that is asked. */
  children?: ComponentChildren;
}

export const Readout = ({ shown, index, leftPx, isBefore, children }: ReadoutProps) => {
  const { series, notes } = shown;
  const { earlier = null } = series;
  return (
    <div class={isBefore ? 'readout before' : 'readout'} style={{ '--at': `${leftPx}px` }}>
      <div aria-hidden="true">
        <strong>{earlier === null ? nameOf(shown, index) : series.label}</strong>
        <table>
          <tbody>
            {earlier === null ? (
              <tr>
                <th scope="row">
                  <span class="swatch metric" />
                  {series.label}
                </th>
                <td>{textOf(series, series.values[index])}</td>
              </tr>
            ) : (
              <ComparedRows shown={shown} earlier={earlier} index={index} />
            )}
          </tbody>
        </table>
        {notes.get(index)?.map(text => (
          <p key={text} class="readout-note">
            {text}
          </p>
        ))}
      </div>
      {children}
    </div>
  );
};

/** Both dates with their values, and the change from one to the other. */
const ComparedRows = ({ shown, earlier, index }: { shown: Shown; earlier: Earlier; index: number }) => {
  const { series, bucket } = shown;
  const before = earlier.dates[index] ?? null;
  return (
    <>
      <tr>
        <th scope="row">
          <span class="swatch metric" />
          {nameOf(shown, index)}
        </th>
        <td class="current">{textOf(series, series.values[index])}</td>
        <td class="change-cell">
          <Change delta={earlier.changes[index] ?? null} inverted={earlier.isInverted} isNeutral={earlier.isNeutral} />
        </td>
      </tr>
      {before !== null && (
        <tr class="earlier">
          <th scope="row">
            <span class="swatch dashed" />
            {formatBucket(before, bucket)}
          </th>
          <td>{textOf(series, earlier.values[index])}</td>
          <td />
        </tr>
      )}
    </>
  );
};

const nameOf = ({ dates, bucket, isOpen }: Shown, index: number): string => {
  const name = bucketName(dates, index, bucket);
  return isOpen && index === dates.length - 1 ? t('chart.soFar', { time: name }) : name;
};

const textOf = ({ text }: ChartSeries, value: number | null | undefined): string =>
  text === undefined ? formatNumber(value ?? 0) : text(value ?? null);
