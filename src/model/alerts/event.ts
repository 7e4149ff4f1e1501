/** What alerts tell, in the form of Standard Webhooks. All channels make their texts from it. */
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

export const eventTypes = ['alert.fired', 'alert.reminder', 'alert.ended', 'test'] as const;
export type AlertEvent =
  | { type: Exclude<(typeof eventTypes)[number], 'test'>; timestamp: string; data: AlertEventData }
  | { type: 'test'; timestamp: string; data: { team: string; title: string; text: string; url: string } };
