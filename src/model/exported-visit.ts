/** A visit and its hits as they are stored, with all texts: what exports are made of. */
import type { PageField } from './columns.ts';
import type { HitType } from './hit.ts';
import type { VisitTextName } from './visit-fields.ts';

export type PropertyValue = string | number | boolean;

export interface StoredHit {
  /** UTC milliseconds. */
  at: number;
  type: HitType;
  page: Record<PageField, string | null>;
  /** Whole seconds that the page of a pageview was looked at; 0 where nothing told it. */
  secondsOnPage: number | null;
  /** Percent of the page that was seen; null where nothing told it. */
  scroll: number | null;
  /** In minor units; null for what is no revenue. */
  revenue: { amount: number; currency: string } | null;
  properties: readonly (readonly [key: string, value: PropertyValue])[];
}

export interface ExportedVisit {
  /** 16 hexadecimal digits, the same for all visits of a day or of a cookie. */
  visitor: string;
  /** Whether the visitor was known by a cookie. */
  isPersistent: boolean;
  /** UTC milliseconds of the first and the last that was heard of it. */
  from: number;
  to: number;
  texts: Record<VisitTextName, string | null>;
  /** Size of the window; 0 where it is not known. */
  width: number;
  height: number;
  /** As JSON; null where there are none. */
  traits: string | null;
  hits: StoredHit[];
}
