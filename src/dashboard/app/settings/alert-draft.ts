/** An alert as its form shows it: texts, as people type them. */
import {
  type AlertKind,
  type AlertRule,
  type BandMetric,
  type ErrorSource,
  sensitivities,
  type ThresholdMetric,
} from '../../../model/alerts/kinds.ts';
import type { AlertView, SaveAlert } from '../../wire.ts';
import { majorUnits, minorUnits } from './goal-draft.ts';

export type Sensitivity = keyof typeof sensitivities;
export const sensitivityNames = Object.keys(sensitivities) as Sensitivity[];

export interface AlertDraft extends Pick<SaveAlert, 'name' | 'filters' | 'channels' | 'mailOwners'> {
  kind: AlertKind;
  metric: BandMetric;
  /** Whose errors. */
  of: ErrorSource;
  /** Spreads from the usual. */
  k: number;
  /** Of the window; empty for what the site has enough visits for. */
  hours: string;
  floor: number;
  /** What is compared with a number. */
  compared: ThresholdMetric;
  comparison: 'above' | 'below';
  number: string;
  minutes: number;
  goal: string;
  /** Refused ones of an hour, and their part of those that arrived. */
  hits: string;
  percent: string;
  /** That a new source brings in a day. */
  visitors: string;
}

export const emptyDraft: AlertDraft = {
  ...{ kind: 'spike', name: '', filters: '', channels: [], mailOwners: true },
  ...{ metric: 'visits', of: 'events', k: sensitivities.usual, hours: '', floor: 10 },
  ...{ compared: 'visitors', comparison: 'above', number: '', minutes: 60, goal: '' },
  ...{ hits: '20', percent: '10', visitors: '20' },
};

export const draftOf = ({ name, filters, channels, mailOwners, ...rule }: AlertView, currency: string): AlertDraft => ({
  ...{ ...emptyDraft, kind: rule.kind, name, filters, channels, mailOwners },
  ...partsOf(rule, currency),
});

const partsOf = (rule: AlertRule, currency: string): Partial<AlertDraft> => {
  switch (rule.kind) {
    case 'silent':
      return { hours: String(rule.params.hours) };
    case 'threshold': {
      const { metric: compared, number, ...rest } = rule.params;
      return { compared, number: compared === 'revenue' ? majorUnits(number, currency) : String(number), ...rest };
    }
    case 'goal':
      return rule.params;
    case 'refused':
      return { hits: String(rule.params.hits), percent: String(rule.params.percent) };
    case 'new-source':
      return { visitors: String(rule.params.visitors) };
    default: {
      const { hours, ...rest } = rule.params;
      return { hours: hours === null ? '' : String(hours), ...rest };
    }
  }
};

/** What the server is asked about; null while something is missing. */
export const ruleOf = (draft: AlertDraft, currency: string): Pick<SaveAlert, 'kind' | 'params' | 'filters'> | null => {
  const { kind, metric, of, k, floor, goal, comparison, minutes, compared } = draft;
  const filters = draft.filters.trim();
  const hours = draft.hours === '' ? null : Number(draft.hours);
  switch (kind) {
    case 'silent':
      return { kind, params: { hours: hours ?? 24 }, filters };
    case 'spike':
      return { kind, params: { metric, k, hours, floor }, filters };
    case 'drop':
      return { kind, params: { metric, k, hours }, filters };
    case 'errors':
      return { kind, params: { of, k, hours, floor }, filters };
    case 'goal':
      return goal === '' ? null : { kind, params: { goal }, filters };
    case 'refused': {
      const [hits, percent] = [plainNumber(draft.hits), plainNumber(draft.percent)];
      return hits === null || percent === null ? null : { kind, params: { hits, percent }, filters: '' };
    }
    case 'new-source': {
      const visitors = plainNumber(draft.visitors);
      return visitors === null ? null : { kind, params: { visitors }, filters };
    }
    case 'threshold': {
      const number = numberOf(draft.number, compared, currency);
      return number === null ? null : { kind, params: { metric: compared, comparison, number, minutes }, filters };
    }
  }
};

const plainNumber = (typed: string): number | null => {
  const text = typed.trim().replace(',', '.');
  return text === '' || !Number.isFinite(Number(text)) ? null : Number(text);
};

const numberOf = (typed: string, metric: ThresholdMetric, currency: string): number | null =>
  plainNumber(metric === 'revenue' ? (minorUnits(typed, currency) ?? '') : typed);
