/** How web vitals did, tallied report by report or by values that are counted already. */
import { type VitalName, vitalNames, vitals } from '../../model/vitals.ts';

/** How one metric did in a group of reports. */
export interface VitalSummary {
  reports: number;
  /** The value that three reports of four do not exceed. */
  p75: number;
  /** Reports of these ratings; the rest needs improvement. */
  good: number;
  poor: number;
}

export interface VitalGroup {
  name: string;
  reports: number;
  /** Null where no report carried the metric. */
  metrics: Record<VitalName, VitalSummary | null>;
}

/**
 * Reports of one group. Values are counted by their step, so that memory is bounded by how far
 * apart values can be, not by reports.
 */
export class VitalTally {
  reports = 0;
  readonly #steps = vitalNames.map(() => new Map<number, number>());
  readonly #good = vitalNames.map(() => 0);
  readonly #poor = vitalNames.map(() => 0);

  /** Values in the order of `vitalNames`. */
  add(values: readonly (number | null)[]): void {
    this.reports++;
    vitalNames.forEach((name, i) => {
      const value = values[i] ?? null;
      if (value === null) return;
      const { good, poor, steps } = vitals[name];
      this.addValues(name, {
        step: Math.round(value * steps),
        count: 1,
        good: Number(value <= good),
        poor: Number(value > poor),
      });
    });
  }

  /** Adds a step's values of a metric: how many they are, and how many are good and poor. */
  addValues(name: VitalName, { step, count, good, poor }: Record<'step' | 'count' | 'good' | 'poor', number>): void {
    const i = vitalNames.indexOf(name);
    this.#steps[i]!.set(step, (this.#steps[i]!.get(step) ?? 0) + count);
    this.#good[i]! += good;
    this.#poor[i]! += poor;
  }

  summary(): Omit<VitalGroup, 'name'> {
    const metrics = vitalNames.map((name, i) => [name, this.#summaryOf(name, i)] as const);
    return { reports: this.reports, metrics: Object.fromEntries(metrics) as VitalGroup['metrics'] };
  }

  #summaryOf(name: VitalName, i: number): VitalSummary | null {
    const steps = [...this.#steps[i]!].sort(([a], [b]) => a - b);
    const reports = steps.reduce((sum, [, count]) => sum + count, 0);
    if (reports === 0) return null;
    let rest = 0.75 * reports;
    let p75 = 0;
    for (const [step, count] of steps) {
      p75 = step / vitals[name].steps;
      rest -= count;
      if (rest <= 0) break;
    }
    return { reports, p75, good: this.#good[i]!, poor: this.#poor[i]! };
  }
}
