/**
 * Answers queries from ClickHouse: each question is asked of every shard in the same SQL, about its
 * own hits, and the answers are added up here. The SQL is what 18.16 and the newest version both
 * know.
 */
import type { Shards } from '../model/shards.ts';
import { dayMs } from '../model/time.ts';
import {
  QueryCanceled,
  QueryFailed,
  QueryIncomplete,
  QueryTimeout,
  QueryTooLarge,
  QueryUnavailable,
  QueryUnsupported,
} from '../query/errors.ts';
import type { Answer, AnswerOf, Query, Question, QuestionOf, Slice } from '../query/query.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import { ClickHouseError, isAway, isTooLarge } from './client.ts';
import { longSql } from './day-contents.ts';
import { placement, TopologyError } from './placement.ts';
import { eventSeries, events, goals } from './questions/events.ts';
import { funnel } from './questions/funnel.ts';
import { metricSeries, table } from './questions/grouped.ts';
import { journey } from './questions/journey.ts';
import { propertyKeys, propertySummaries, propertyValues } from './questions/properties.ts';
import { crawls, outcomes, vitals } from './questions/records.ts';
import { firstHit, lastHit, latestHits, visitHits, visitor, visits } from './questions/visits.ts';
import { askShard } from './replicas.ts';
import { type AskShards, number, type ResultRow, type Scope, withSite } from './run.ts';
import { daysIn, selectionOf } from './selection.ts';
import { anySource, questionDaysReader, type RowSource, sourceOf } from './source.ts';

/** Only the embedded engine has ids of texts, by which table rows are asked for, and day sums. */
type AnsweredKind = Exclude<Question['kind'], 'tableRows' | 'daySum'>;

const answerers: { [K in AnsweredKind]: (scope: Scope, question: QuestionOf<K>) => Promise<AnswerOf<K>> } = {
  table,
  metricSeries,
  events,
  eventSeries,
  goals,
  propertyKeys,
  propertySummaries,
  propertyValues,
  visits,
  funnel,
  journey,
  visitHits,
  visitor,
  latestHits,
  lastHit,
  firstHit,
  vitals,
  crawls,
  outcomes,
};

/** Whether a question is about hits of a slice. */
const isAboutHits = ({ kind }: Question): boolean =>
  !['firstHit', 'vitals', 'crawls', 'outcomes', 'tableRows', 'daySum'].includes(kind);

/** Statements of one query that run on a shard at a time. */
const statementsMax = 4;
/** Of one statement's answer: beyond it the query is a QueryTooLarge, if it cannot be divided. */
const resultRowsMaxDefault = 1_000_000;
const resultBytesMax = 256 * 1024 * 1024;

export interface ClickHouseEngineOptions {
  /** The id that the shards should have; null for any. */
  cluster?: string | null;
  resultRowsMax?: number;
}

/** A query gets QueryIncomplete where the shards are not all that its days are on. */
export const clickHouseEngine = (
  shards: Shards,
  deadlineMs: number,
  { cluster = null, resultRowsMax = resultRowsMaxDefault }: ClickHouseEngineOptions = {},
): QueryEngine => {
  const daysOf = questionDaysReader(shards);
  const { shardsBetween } = placement(shards, cluster);

  /** Asks every site of a query about its hits: visitors of different sites are different. */
  const scopeOf = async (run: AskShards, query: Query, slice: Slice): Promise<Scope> => {
    const placements = await shardsBetween(...daysIn(slice));
    const siteIds = query.rollup ?? [query.siteId];
    const sources = await Promise.all(
      siteIds.map(async site => ({
        site,
        source: sourceOf(site, await daysOf(site), daysIn(slice), query.withLeftOut),
      })),
    );
    const [only, ...others] = sources;
    const source = others.length === 0 && only !== undefined ? only.source : anySource;
    const runHere = source === anySource ? runOnEach(run, sources) : run;
    const scope = { run: runHere, query, selection: selectionOf(slice, source), placements: [] };
    // Visitors of hash mode come on one day alone.
    if (placements.length < 2 || !(await hasLasting(scope))) return scope;
    return { ...scope, placements };
  };

  return {
    async run(query, _asker, signal) {
      const run = runner(shards, { deadlineMs, resultRowsMax, signal });
      try {
        const answers = Promise.all(
          query.slices.map(async slice => {
            await shardsBetween(...daysIn(slice));
            const ofHits = slice.questions.some(isAboutHits) ? await scopeOf(run, query, slice) : null;
            const ofRecords = { run, query, selection: selectionOf(slice, anySource), placements: [] };
            return Promise.all(
              slice.questions.map(async question => {
                if (question.kind === 'firstHit') return answer(await scopeOf(run, query, ever), question);
                return answer(isAboutHits(question) ? ofHits! : ofRecords, question);
              }),
            );
          }),
        );
        return await within(deadlineMs, answers);
      } catch (error) {
        throw queryErrorOf(error, deadlineMs, signal);
      }
    },
  };
};

/** One deadline for all that is asked, also of what days there are. */
const within = async <T>(deadlineMs: number, answers: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new QueryTimeout(deadlineMs)), deadlineMs);
  });
  return Promise.race([answers, late]).finally(() => clearTimeout(timer));
};

const answer = async (scope: Scope, question: Question): Promise<Answer> => {
  const { kind } = question;
  if (kind === 'tableRows' || kind === 'daySum') throw new QueryUnsupported(`questions of the kind ${kind}`);
  const answerer = answerers[kind] as (scope: Scope, question: Question) => Promise<Answer>;
  return answerer(scope, question);
};

const ever: Slice = { from: 0, to: 65_536 * dayMs, filters: [], questions: [] };

/** Whether some of the visitors come on several days. */
const hasLasting = async ({ run, selection: { table, days } }: Scope): Promise<boolean> =>
  (await run(`select max(persistent) from ${table} where ${days}`)).flat().some(([lasting]) => number(lasting) > 0);

/** Asks each site what is asked of `anySource`. Visitors that are named are told apart. */
const runOnEach =
  (run: AskShards, sources: readonly { site: number; source: RowSource }[]): AskShards =>
  async sql => {
    const answers = sources.map(async ({ site, source }) => {
      const ofSite = await run(sql.replaceAll(anySource.table, source.table).replaceAll(anySource.days, source.days));
      return ofSite.map(rows => rows.map(row => row.map(cell => withSite(site, cell))));
    });
    return (await Promise.all(answers)).flat();
  };

interface Bounds {
  deadlineMs: number;
  resultRowsMax: number;
  signal: AbortSignal | undefined;
}

const settings = (deadlineMs: number, resultRowsMax: number) => ({
  max_execution_time: Math.ceil(deadlineMs / 1000),
  max_result_rows: resultRowsMax,
  max_result_bytes: resultBytesMax,
  result_overflow_mode: 'throw',
  ...longSql,
  output_format_json_quote_64bit_integers: 0,
});

/** Statements wait for each other, so that one query does not take all connections of a server. */
const runner = (shards: Shards, { deadlineMs, resultRowsMax, signal }: Bounds): AskShards => {
  const until = performance.now() + deadlineMs;
  let running = 0;
  const waiting: (() => void)[] = [];
  const begin = async (): Promise<void> => {
    if (running === statementsMax) await new Promise<void>(resolve => waiting.push(resolve));
    else running++;
  };
  const end = (): void => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };
  return async sql => {
    await begin();
    try {
      const timeoutMs = Math.max(1, Math.ceil(until - performance.now()));
      const statement = {
        sql: `${sql} format JSONCompact`,
        settings: settings(timeoutMs, resultRowsMax),
        timeoutMs,
        signal,
      };
      const answers = await Promise.all(shards.map(replicas => askShard(replicas, statement)));
      return answers.map(text => (JSON.parse(text) as { data: ResultRow[] }).data);
    } finally {
      end();
    }
  };
};

const tooSlow = 159;

const queryErrorOf = (error: unknown, deadlineMs: number, signal: AbortSignal | undefined): Error => {
  if (signal?.aborted) return new QueryCanceled();
  if (error instanceof QueryUnsupported || error instanceof QueryTimeout) return error;
  if (error instanceof TopologyError) return new QueryIncomplete(error.message);
  if (isTooLarge(error)) return new QueryTooLarge();
  if (error instanceof ClickHouseError && error.code === tooSlow) return new QueryTimeout(deadlineMs);
  const message = `ClickHouse: ${(error as Error).message}`;
  return isAway(error) ? new QueryUnavailable(message) : new QueryFailed(message);
};
