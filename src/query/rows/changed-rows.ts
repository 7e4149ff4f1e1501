/**
 * Of tables that are compared, the rows that can be among those that changed most. These are a
 * dozen of a thousand, and all that has to reach whoever asked.
 */
import type { AnswerOf, Query, Question, QuestionOf, Report, Slice, TableRow } from '../query.ts';
import { nthLargest } from './top-rows.ts';

type Table = AnswerOf<'table'>;
type Compared = QuestionOf<'table'> & { changes: object };

/** A report whose tables that are compared have such rows alone. */
export const withChangedRows = ({ slices }: Query, report: Report): Report => {
  const tables = new Map<string, Table>();
  for (const [i, slice] of slices.entries())
    for (const [question, asked] of slice.questions.entries())
      if (isCompared(asked)) tables.set(nameOf(slice, slice, asked), report[i]![question] as Table);
  if (tables.size === 0) return report;
  return report.map((answers, i) =>
    answers.map((answer, question) => {
      const asked = slices[i]!.questions[question]!;
      const other = isCompared(asked) && tables.get(nameOf(slices[i]!, asked.changes.against, asked));
      return other ? changedRows(answer as Table, other, asked) : answer;
    }),
  );
};

const isCompared = (asked: Question): asked is Compared => asked.kind === 'table' && asked.changes !== undefined;

/** The same for what is the same but for its time. */
const nameOf = ({ filters, site }: Slice, { from, to }: Pick<Slice, 'from' | 'to'>, asked: Compared): string =>
  JSON.stringify([from, to, filters, site, { ...asked, changes: asked.changes.limit }]);

const changedRows = (table: Table, other: Table, { changes, metrics }: Compared): Table => {
  // Refunds may be more than what was paid.
  const least = metrics[0] === 'revenue' ? Number.NEGATIVE_INFINITY : 0;
  const [own, others] = [boundsOf(table, least), boundsOf(other, least)];
  const names = [...new Set([...table.rows, ...other.rows].map(({ name }) => name))];
  const bounds = names.map(name => [own(name), others(name)] as const);
  const unseenMax = Math.max(0, ...[table, other].map(({ next }) => next?.value ?? 0));
  const count = changes.limit + 1;
  const largest = (lows: Float64Array, highs: Float64Array): ((position: number) => boolean) => {
    const surely = lows.length < count ? unseenMax : Math.max(unseenMax, nthLargest(lows.slice(), count));
    return position => highs[position]! > 0 && highs[position]! >= surely;
  };
  const lows = Float64Array.from(bounds, ([a, b]) => a.low - b.high);
  const highs = Float64Array.from(bounds, ([a, b]) => a.high - b.low);
  const [mayRise, mayFall] = [largest(lows, highs), largest(highs.map(negated), lows.map(negated))];
  const kept = new Set(names.filter((_, position) => mayRise(position) || mayFall(position)));
  return { ...table, rows: table.rows.filter(({ name }) => kept.has(name)) };
};

const negated = (value: number): number => -value;

/** Between which values that of a name is: behind the last row it is none, or no more than that. */
const boundsOf = ({ rows, next }: Table, least: number): ((name: string) => { low: number; high: number }) => {
  const valuesOf = new Map(rows.map(({ name, values: [value] }: TableRow) => [name, value ?? 0]));
  const unseen = next === null ? { low: 0, high: 0 } : { low: least, high: Math.max(0, next.value ?? 0) };
  return name => {
    const value = valuesOf.get(name);
    return value === undefined ? unseen : { low: value, high: value };
  };
};
