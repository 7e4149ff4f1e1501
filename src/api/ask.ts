/** Asks the query threads what endpoints plan, as one query for all that is asked at a time. */
import { minorRate } from '../model/currency.ts';
import type { Site } from '../model/site.ts';
import type { Answer, Report, Slice } from '../query/query.ts';
import type { QueryPool } from '../query/threads/pool.ts';
import type { Rates } from '../store/accounts/accounts.ts';
import { isStep, type Step } from './endpoint.ts';

/** Rejects with a QueryError. */
export type Run = (slices: Slice[]) => Promise<Report>;

/** Queries about a site, canceled by the signal. */
export const runFor =
  (pool: Pick<QueryPool, 'run'>, rates: Rates, { id: siteId, currency }: Site, signal: AbortSignal): Run =>
  slices => {
    const ownRates = rates.list().filter(({ target }) => target === currency);
    const minorRates = Object.fromEntries(
      ownRates.map(({ source, target, rate }) => [source, minorRate(source, target, rate)]),
    );
    return pool.run({ siteId, currency, minorRates, slices }, signal);
  };

export const ask = async <Body>(step: Step<Body>, run: Run): Promise<Body> => {
  let next: Body | Step<Body> = step;
  while (isStep(next)) next = next.render(await run(next.slices));
  return next;
};

/** How one of several questions ended. */
export type Outcome<Body> = { place: number } & ({ body: Body } | { error: unknown });

/**
 * Asks several questions together. Gives the outcomes, each with the question's place, in lists: first of questions that
 * throw when they are planned, then of those that one query answers, then of those that ask another one.
 */
export async function* askAll<Body>(plans: readonly (() => Step<Body>)[], run: Run): AsyncGenerator<Outcome<Body>[]> {
  let open: { place: number; next: () => Body | Step<Body> }[] = plans.map((next, place) => ({ place, next }));
  while (open.length > 0) {
    const outcomes: Outcome<Body>[] = [];
    const steps: { place: number; step: Step<Body> }[] = [];
    for (const { place, next } of open) {
      try {
        const result = next();
        if (isStep(result)) steps.push({ place, step: result });
        else outcomes.push({ place, body: result });
      } catch (error) {
        outcomes.push({ place, error });
      }
    }
    if (outcomes.length > 0) yield outcomes;
    if (steps.length === 0) return;
    const { slices, reportsOf } = mergeSlices(steps.map(({ step }) => step.slices));
    try {
      const reports = reportsOf(await run(slices));
      open = steps.map(({ place, step }, i) => ({ place, next: () => step.render(reports[i]!) }));
    } catch (error) {
      yield steps.map(({ place }) => ({ place, error }));
      return;
    }
  }
}

/** Slices with the same window and filters become one, and a question that several ask is asked once. */
export const mergeSlices = (
  lists: readonly (readonly Slice[])[],
): { slices: Slice[]; reportsOf(report: Report): Report[] } => {
  const merged = new Map<string, { slice: Slice; questions: string[] }>();
  /** By list, slice and question: picks its answer. */
  const picks = lists.map(list =>
    list.map(({ questions, ...where }) => {
      const name = JSON.stringify([where.from, where.to, where.filters]);
      const into = merged.get(name) ?? { slice: { ...where, questions: [] }, questions: [] };
      merged.set(name, into);
      return questions.map(question => {
        const text = JSON.stringify(question);
        if (!into.questions.includes(text)) {
          into.questions.push(text);
          into.slice.questions.push(question);
        }
        const [slice, i] = [[...merged.keys()].indexOf(name), into.questions.indexOf(text)];
        return (report: Report): Answer => report[slice]![i]!;
      });
    }),
  );
  return {
    slices: [...merged.values()].map(({ slice }) => slice),
    reportsOf: report => picks.map(list => list.map(slice => slice.map(pick => pick(report)))),
  };
};
