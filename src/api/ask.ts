/** Asks an engine what endpoints plan, as one query for all that is asked at a time. */
import { minorRate } from '../model/currency.ts';
import { isRollup, type Site } from '../model/site.ts';
import { QueryFailed } from '../query/errors.ts';
import type { Filter, Report, Slice } from '../query/query.ts';
import type { EngineName, QueryEngine } from '../query/query-engine.ts';
import type { Asker } from '../query/threads/askers.ts';
import type { Rates } from '../store/rates.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { isStep, type QueryStep } from './endpoint.ts';
import { withoutLeftOut } from './suspects.ts';

/** Rejects with a QueryError. */
export type Run = (slices: Slice[]) => Promise<Report>;

/** Learns which engine answers, where there are several. */
export type EngineTold = (engine: EngineName) => void;

interface RunParts {
  engine: QueryEngine;
  rates: Rates;
  directory: Pick<SiteDirectory, 'members'>;
}

/** Whose question it is, and what is added to it. */
export interface AskedOfSite {
  site: Site;
  asker: Asker;
  /** Filters of all slices besides their own: those of a public page of a segment. */
  always: readonly Filter[];
}

/**
 * Queries about a site or a rollup by somebody, canceled by the signal. Suspect visits that the
 * site leaves out are left out here, and nowhere else; and here what is added is added.
 */
export const runFor =
  (
    { engine, rates, directory }: RunParts,
    { site, asker, always }: AskedOfSite,
    signal: AbortSignal,
    told?: EngineTold,
  ): Run =>
  slices => {
    const { id: siteId, currency, leftOut } = site;
    const own = rates.list().filter(({ target }) => target === currency);
    const minorRates = Object.fromEntries(own.map(({ source, rate }) => [source, minorRate(source, currency, rate)]));
    const kept = slices.map(slice => withoutLeftOut({ ...slice, filters: [...slice.filters, ...always] }, leftOut));
    const rollup = isRollup(site) ? { rollup: directory.members(site).map(({ id }) => id) } : {};
    return engine.run({ siteId, ...rollup, currency, minorRates, slices: kept }, asker, signal, told);
  };

export const ask = async <Body>(step: QueryStep<Body>, run: Run): Promise<Body> => {
  let next: Body | QueryStep<Body> = step;
  while (isStep(next)) next = next.render(await run(next.slices));
  return next;
};

/** How one of several questions was settled: answered, or failed. */
export type Settled<Body> = { position: number } & ({ body: Body } | { error: unknown });

/** A question that is not settled yet. `next` may throw. */
interface Open<Body> {
  position: number;
  next(): Body | QueryStep<Body>;
}

/**
 * Asks several questions together, and yields them as they are settled: first those that throw when
 * they are planned, then those that one query answers, then those that need another one.
 */
export async function* askAll<Body>(
  plans: readonly (() => QueryStep<Body>)[],
  run: Run,
): AsyncGenerator<Settled<Body>[]> {
  let open: Open<Body>[] = plans.map((next, position) => ({ position, next }));
  while (open.length > 0) {
    const settled: Settled<Body>[] = [];
    const steps: { position: number; step: QueryStep<Body> }[] = [];
    for (const { position, next } of open) {
      try {
        const result = next();
        if (isStep(result)) steps.push({ position, step: result });
        else settled.push({ position, body: result });
      } catch (error) {
        settled.push({ position, error });
      }
    }
    if (settled.length > 0) yield settled;
    if (steps.length === 0) return;
    const { slices, reportsOf } = mergeSlices(steps.map(({ step }) => step.slices));
    try {
      const reports = reportsOf(await run(slices));
      open = steps.map(({ position, step }, i) => ({ position, next: () => step.render(reports[i]!) }));
    } catch (error) {
      // What one question ran into, such as damaged data, need not concern the others.
      const settles = error instanceof QueryFailed && steps.length > 1 ? steps.map(one => settle(one, run)) : null;
      yield settles ? await Promise.all(settles) : steps.map(({ position }) => ({ position, error }));
      return;
    }
  }
}

/** Asks one question by itself. */
const settle = <Body>(
  { position, step }: { position: number; step: QueryStep<Body> },
  run: Run,
): Promise<Settled<Body>> =>
  ask(step, run).then(
    body => ({ position, body }),
    error => ({ position, error }),
  );

/** Slices with the same window and filters become one with the questions of all. */
const mergeSlices = (
  lists: readonly (readonly Slice[])[],
): { slices: Slice[]; reportsOf(report: Report): Report[] } => {
  const merged = new Map<string, Slice>();
  /** By list and slice, where its answers are. */
  const found = lists.map(list =>
    list.map(({ questions, ...where }) => {
      const name = JSON.stringify([where.from, where.to, where.filters, where.site]);
      const into = merged.get(name) ?? { ...where, questions: [] };
      merged.set(name, into);
      const end = into.questions.push(...questions);
      return { slice: [...merged.keys()].indexOf(name), from: end - questions.length, end };
    }),
  );
  return {
    slices: [...merged.values()],
    reportsOf: report => found.map(list => list.map(({ slice, from, end }) => report[slice]!.slice(from, end))),
  };
};
