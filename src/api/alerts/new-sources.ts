/** Sources that bring visitors to a site and were not seen before, day by day. */
import { startOfDay } from '../../model/calendar.ts';
import { otherName } from '../../model/dimensions.ts';
import { isOneOf } from '../../model/filters.ts';
import { dayMs } from '../../model/time.ts';
import { directName } from '../../model/visit-fields.ts';
import type { Answer, Filter, Report, Slice } from '../../query/query.ts';
import { mostVisited } from '../../query/usual-questions.ts';
import { answerOf, noTime, type QueryStep, type ReadableSite } from '../endpoint.ts';
import type { Span } from '../request/window.ts';

/** What tells where visitors came from. */
const sourceDimensions = ['referrer', 'utmSource', 'utmCampaign'] as const;

export interface Source {
  dimension: (typeof sourceDimensions)[number];
  name: string;
  visitors: number;
}

/** What counts as new, of some hits. */
export interface SourceRule {
  filters: Filter[];
  /** So many in a day. */
  visitors: number;
}

/** A source that was not seen for so long is new. */
const unseenDays = 90;
/** With less past each source would be new. */
const pastDaysMin = 14;
/** The largest of each dimension are looked at. */
const rowsMax = 200;

/** A local day of the site, so many days before the one of an instant. */
export const dayOf = ({ zone }: ReadableSite, at: number, daysBefore = 0): Span => {
  const begin = startOfDay(zone.local(at)) - daysBefore * dayMs;
  return { from: zone.instant(begin), to: zone.instant(begin + dayMs) };
};

/** Asks for the sources of a window. */
export const sourcesSlice = (filters: Filter[], { from, to }: Span): Slice => ({
  ...{ from, to, filters },
  questions: sourceDimensions.map(dimension => mostVisited(dimension, rowsMax)),
});

/** Those with enough visitors, the largest first. */
export const sourcesIn = (answers: Answer[] | undefined, visitorsMin: number): Source[] =>
  sourceDimensions
    .flatMap((dimension, i) =>
      answerOf(answers?.slice(i), 'table').rows.map(
        ({ name, values: [visitors] }): Source => ({
          ...{ dimension, name, visitors: visitors ?? 0 },
        }),
      ),
    )
    .filter(({ name, visitors }) => name !== directName && name !== otherName && visitors >= visitorsMin)
    .sort((a, b) => b.visitors - a.visitors);

export const sourceKey = ({ dimension, name }: Source): string => `${dimension} ${name}`;

export const firstHitSlice: Slice = { ...noTime, filters: [], questions: [{ kind: 'firstHit' }] };

/**
 * The new sources of local days that follow each other, but for the first of them: what brought
 * enough on the day before was told then, and what came late that day may be told now.
 */
export const newSources = (rule: SourceRule, days: readonly Span[]): QueryStep<Source[][]> => ({
  slices: [firstHitSlice, ...days.map(day => sourcesSlice(rule.filters, day))],
  render([known, ...answers]) {
    const { at: firstAt } = answerOf(known, 'firstHit');
    const seen = new Set<string>();
    const candidates = days.slice(1).map((): Source[] => []);
    for (const [i, { from }] of days.entries())
      for (const source of sourcesIn(answers[i], rule.visitors)) {
        const hasPast = firstAt !== null && from - firstAt >= pastDaysMin * dayMs;
        if (i > 0 && hasPast && !seen.has(sourceKey(source))) candidates[i - 1]!.push(source);
        seen.add(sourceKey(source));
      }
    return unseenBefore(rule, days, candidates);
  },
});

/** Leaves out what was seen before the day before. */
const unseenBefore = (
  { filters }: SourceRule,
  days: readonly Span[],
  candidates: readonly Source[][],
): Source[][] | QueryStep<Source[][]> => {
  const asked = candidates.flatMap((sources, day) =>
    sourceDimensions.flatMap(dimension => {
      const names = sources.flatMap(source => (source.dimension === dimension ? source.name : []));
      return names.length === 0 ? [] : [{ day, dimension, names }];
    }),
  );
  if (asked.length === 0) return candidates as Source[][];
  return {
    slices: asked.map(({ day, dimension, names }) => ({
      ...{ from: days[day + 1]!.from - unseenDays * dayMs, to: days[day]!.from },
      filters: [...filters, isOneOf(dimension, names)],
      questions: [mostVisited(dimension, names.length)],
    })),
    render(report: Report) {
      const known = candidates.map(() => new Set<string>());
      for (const [i, { day, dimension }] of asked.entries())
        for (const { name } of answerOf(report[i], 'table').rows)
          known[day]!.add(sourceKey({ dimension, name, visitors: 0 }));
      return candidates.map((sources, day) => sources.filter(source => !known[day]!.has(sourceKey(source))));
    },
  };
};
