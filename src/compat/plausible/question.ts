/** What Plausible's clients ask, as it was read, and what they are answered. */
import type { Bucket, Span } from '../../api/request/window.ts';
import type { PlausibleField } from './fields.ts';
import type { ReadFilter } from './filters.ts';

export interface TimeDimension {
  kind: 'time';
  name: string;
  bucket: Bucket;
}
export interface FieldDimension {
  kind: 'field';
  name: string;
  field: PlausibleField;
  /** Whether hits without a value are a row. */
  withNull: boolean;
}
export type AskedDimension = TimeDimension | { kind: 'goal'; name: string } | FieldDimension;

export interface PlausibleQuestion extends Span {
  filters: readonly ReadFilter[];
  /** Names of `plausibleMetrics`. */
  metrics: readonly string[];
  /** At most two. */
  dimensions: readonly AskedDimension[];
  /** Names of metrics or dimensions, the most important first. */
  order: readonly { name: string; descending: boolean }[];
  offset: number;
  limit: number;
  /** Whether buckets of time without hits are rows. */
  keepsEmpty: boolean;
}

export interface PlausibleRow {
  dimensions: string[];
  metrics: unknown[];
}

export interface PlausibleAnswer {
  rows: PlausibleRow[];
  /** Of all rows. */
  total: number;
  /** Of all buckets of time; empty where time is no dimension. */
  timeLabels: string[];
}

/** As many as a page may reach to. */
export const rowsMax = 10_000;
