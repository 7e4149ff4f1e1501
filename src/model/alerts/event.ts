/** What channels are told, in the form of Standard Webhooks: they make their texts from it. */
import type { ReportFigureName } from '../reports.ts';
import type { AlertKind } from './kinds.ts';

export interface Contributor {
  dimension: string;
  name: string;
  value: number;
  previous: number;
}

export interface AlertEventData {
  team: string;
  site: { id: string; domain: string };
  alert: { id: number; name: string; kind: AlertKind };
  value: number;
  expected: number | null;
  low: number | null;
  high: number | null;
  window: { from: string; to: string; timezone: string };
  contributors: Contributor[];
  /** The page of the site; empty where the server does not know its own address. */
  url: string;
  muteUrl: string;
  /** What is told, in one sentence, and what to know beside it. */
  title: string;
  text: string;
}

export type AlertEvent =
  | { type: 'alert.fired' | 'alert.reminder' | 'alert.ended'; timestamp: string; data: AlertEventData }
  | { type: 'test'; timestamp: string; data: { team: string; title: string; text: string; url: string } };

/** A report was made. */
export interface ReportEvent {
  type: 'report.made';
  timestamp: string;
  data: {
    team: string;
    site: { id: string; domain: string };
    report: { id: number; name: string };
    /** Local days, both included. */
    window: { from: string; to: string; timezone: string };
    /** Null is not known, as on imported days. Revenue is in minor units of `currency`. */
    figures: Partial<Record<ReportFigureName, { value: number | null; previous: number | null }>>;
    currency: string;
    url: string;
    title: string;
    text: string;
  };
}

export type ChannelEvent = AlertEvent | ReportEvent;
