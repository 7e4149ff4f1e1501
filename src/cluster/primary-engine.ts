/**
 * Answers on a primary. As long as no collector ever followed it, this machine has all hits and
 * answers by itself, which is many times cheaper. Then ClickHouse answers.
 */
import { importedDays } from '../query/imported-days.ts';
import type { Answer, Query } from '../query/query.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import type { Asker } from '../query/threads/askers.ts';
import type { Database } from '../store/database.ts';
import { nodes } from '../store/nodes.ts';

export interface PrimaryEngineParts {
  db: Database;
  embedded: QueryEngine;
  clickHouse: QueryEngine;
}

export const primaryEngine = ({ db, embedded, clickHouse }: PrimaryEngineParts): QueryEngine => {
  const { any: hasCollectors } = nodes(db);
  return {
    async run(query, ...of) {
      if (!hasCollectors()) return embedded.run(query, ...of);
      const report = await clickHouse.run(query, ...of);
      if (!query.withLeftOut) return report;
      // ClickHouse has hits of this machine without those that rules leave out.
      const own = await embedded.run(query, ...of);
      return report.map((answers, i) => answers.map((answer, n) => withRows(answer, own[i]![n]!)));
    },
  };
};

/** What is asked about hits that rules leave out are tables whose rows are added up. */
const withRows = (answer: Answer, own: Answer): Answer =>
  answer.kind === 'table' && own.kind === 'table' ? { ...answer, rows: [...answer.rows, ...own.rows] } : answer;

/** Asks ClickHouse, and adds imported sums: only the primary has them. */
export const withSums = (db: Database, clickHouse: QueryEngine): QueryEngine => {
  const firstHits = new Map<number, number | null>();
  const imported = importedDays(db, siteId => firstHits.get(siteId) ?? null);

  /** When the cluster has the first hit of the site, or of each of several that have sums. */
  const learnFirst = async (query: Query, asker: Asker, signal?: AbortSignal) => {
    const { rollup = [query.siteId], ...alone } = query;
    const { currency, minorRates } = query;
    const slices = [{ from: 0, to: 0, filters: [], questions: [{ kind: 'firstHit' as const }] }];
    for (const siteId of rollup) {
      if (imported.widen({ ...alone, siteId }) === null) continue;
      const [first] = (await clickHouse.run({ siteId, currency, minorRates, slices }, asker, signal)).flat();
      if (first?.kind === 'firstHit') firstHits.set(siteId, first.at);
    }
  };

  return {
    async run(query, asker, signal) {
      if (query.withLeftOut || imported.widen(query) === null) return clickHouse.run(query, asker, signal);
      await learnFirst(query, asker, signal);
      const widened = imported.widen(query);
      const report = await clickHouse.run(widened?.query ?? query, asker, signal);
      return widened === null ? report : widened.finish(report);
    },
  };
};
