/** Questions about the same slices, asked as one: what a slice selects is then worked out once for all of them. */
import type { Query, Slice } from '../query.ts';

export interface UnitedQuery {
  query: Query;
  /** What each query would have got for itself, in their order. */
  split<Answer>(report: readonly (readonly Answer[])[]): Answer[][][];
}

const nameOf = ({ from, to, filters }: Slice): string => JSON.stringify([from, to, filters]);

/** The queries must be about the same site and count money alike (`uniteKeyOf`). */
export const uniteQueries = (queries: readonly Query[]): UnitedQuery => {
  const slices = new Map<string, Slice>();
  /** Per query and slice, the name of the united slice and where its own asks begin there. */
  const places = queries.map(query =>
    query.slices.map(slice => {
      const name = nameOf(slice);
      const united = slices.get(name) ?? { ...slice, questions: [] };
      slices.set(name, united);
      const from = united.questions.length;
      united.questions.push(...slice.questions);
      return { name, from, to: united.questions.length };
    }),
  );
  const names = [...slices.keys()];
  return {
    query: { ...queries[0]!, slices: [...slices.values()] },
    split: report =>
      places.map(ofQuery => ofQuery.map(({ name, from, to }) => report[names.indexOf(name)]!.slice(from, to))),
  };
};

/** Asks of a query that others may share: more are a file, which nobody who looks at a page should wait for. */
const asksMax = 8;

/** Equal for queries that are worth uniting: of the same site and money, with the same first slice. Null for one that is answered alone. */
export const uniteKeyOf = ({ slices, ...about }: Query): string | null => {
  const asks = slices.reduce((sum, slice) => sum + slice.questions.length, 0);
  return slices.length === 0 || asks > asksMax ? null : `${JSON.stringify(about)} ${nameOf(slices[0]!)}`;
};
