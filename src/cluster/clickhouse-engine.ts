/**
 * Answers queries from ClickHouse: each question is asked of every shard in the same SQL, about its
 * own hits, and the answers are added up here. The SQL is what 18.16 and the newest version both
 * know.
 */
import type { Shards } from '../model/shards.ts';
import { QueryCanceled, QueryFailed, QueryTimeout, QueryTooLarge, QueryUnsupported } from '../query/errors.ts';
import type { Answer, AnswerOf, Question, QuestionOf } from '../query/query.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import { ClickHouseError, sendToShard } from './client.ts';
import { openCluster } from './cluster.ts';
import { eventSeries, events, goals } from './reports/events.ts';
import { breakdown, metricSeries, series, table, totals } from './reports/grouped.ts';
import { funnel, journey } from './reports/paths.ts';
import { propertyKeys, propertySummaries, propertyValues } from './reports/properties.ts';
import { crawls, outcomes, vitals } from './reports/records.ts';
import { firstHit, lastHit, latestHits, visitHits, visitor, visits } from './reports/visits.ts';
import type { Row, Run, Scope } from './run.ts';
import { selectionOf } from './selection.ts';
import { siteDaysReader } from './source.ts';

/** Rows of a table are asked for by ids of texts, which only the embedded engine has. */
type Kind = Exclude<Question['kind'], 'tableRows'>;

const answerers: { [K in Kind]: (scope: Scope, question: QuestionOf<K>) => Promise<AnswerOf<K>> } = {
  totals,
  series,
  breakdown,
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
export const isAboutHits = ({ kind }: Question): boolean =>
  !['firstHit', 'vitals', 'crawls', 'outcomes', 'tableRows'].includes(kind);

/** Statements of one query that run on a shard at a time. */
const statementsMax = 4;
/** Of one statement's answer: beyond it the query is a QueryTooLarge. */
const resultRowsMax = 1_000_000;

export const clickHouseEngine = (shards: Shards, deadlineMs: number): QueryEngine => {
  const daysOf = siteDaysReader(openCluster(shards), shards);
  return {
    async run(query, _asker, signal) {
      const isOfHits = query.slices.some(({ questions }) => questions.some(isAboutHits));
      if (query.rollup !== undefined && isOfHits) throw new QueryUnsupported('questions about several sites');
      const run = runner(shards, deadlineMs, signal);
      try {
        const days = await daysOf(query.siteId);
        return await Promise.all(
          query.slices.map(slice => {
            const scope = { run, query, days, selection: selectionOf(query, slice, days) };
            return Promise.all(slice.questions.map(question => answer(scope, question)));
          }),
        );
      } catch (error) {
        throw queryErrorOf(error, deadlineMs, signal);
      }
    },
  };
};

const answer = async (scope: Scope, question: Question): Promise<Answer> => {
  const { kind } = question;
  if (kind === 'tableRows') throw new QueryUnsupported(`questions of the kind ${kind}`);
  const answerer = answerers[kind] as (scope: Scope, question: Question) => Promise<Answer>;
  return answerer(scope, question);
};

const settings = (deadlineMs: number) => ({
  max_execution_time: Math.ceil(deadlineMs / 1000),
  max_result_rows: resultRowsMax,
  result_overflow_mode: 'throw',
  max_query_size: 16 * 1024 * 1024,
  output_format_json_quote_64bit_integers: 0,
});

/** Statements wait for each other, so that one query does not take all connections of a server. */
const runner = (shards: Shards, deadlineMs: number, signal: AbortSignal | undefined): Run => {
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
      const statement = { sql: `${sql} format JSONCompact`, settings: settings(timeoutMs), timeoutMs, signal };
      const answers = await Promise.all(shards.map(replicas => sendToShard(replicas, statement)));
      return answers.map(text => (JSON.parse(text) as { data: Row[] }).data);
    } finally {
      end();
    }
  };
};

const [tooSlow, tooManyRows, tooMuchMemory] = [159, 396, 241];

const queryErrorOf = (error: unknown, deadlineMs: number, signal: AbortSignal | undefined): Error => {
  if (signal?.aborted) return new QueryCanceled();
  if (error instanceof QueryUnsupported) return error;
  if (!(error instanceof ClickHouseError)) return new QueryFailed(`ClickHouse: ${(error as Error).message}`);
  if (error.code === tooSlow) return new QueryTimeout(deadlineMs);
  if (error.code === tooManyRows || error.code === tooMuchMemory) return new QueryTooLarge();
  return new QueryFailed(`ClickHouse: ${error.message}`);
};
