/**
 * GET /metrics in the OpenMetrics text format: what an operator watches. Only programs on this machine that come through no proxy may
 * read it; or, where a token is set, whoever has the token. Everybody else gets 404.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { addressMatcher } from './collect/client-address.ts';
import type { WriterStats } from './collect/writer.ts';
import { HttpError } from './http/errors.ts';
import type { Handle } from './http/listener.ts';
import { respond } from './http/reply.ts';
import { createRouter } from './http/router.ts';
import type { Log } from './log.ts';
import { canonicalRange } from './model/address.ts';
import { bearerToken } from './model/headers.ts';
import type { Histogram } from './model/histogram.ts';
import { version } from './package-root.ts';
import type { PoolStats } from './query/threads/pool.ts';
import { digestOf } from './store/accounts/digest.ts';
import type { DatabaseStats } from './store/read/database-stats.ts';

type Labels = Record<string, string>;
type Sample = readonly [labels: Labels, value: number];

/** One row of the answer. A counter's samples are named `<name>_total`. */
interface Family {
  name: string;
  help: string;
  kind: 'gauge' | 'counter' | 'histogram';
  samples: readonly Sample[] | Histogram;
}

export interface MetricsSources {
  writer: () => WriterStats;
  pool: () => PoolStats;
  inventory: () => DatabaseStats;
  /** UTC milliseconds at which the server started. */
  startedAt: number;
}

const one = (value: number): readonly Sample[] => [[{}, value]];
const by = (label: string, counts: Iterable<readonly [string, number]>): readonly Sample[] =>
  Array.from(counts, ([value, count]) => [{ [label]: value }, count] as const);
const gauge = (name: string, help: string, value: number): Family => ({
  name,
  help,
  kind: 'gauge',
  samples: one(value),
});

/** Every family, in the order in which they are shown. */
const families = ({ writer, pool, inventory, startedAt }: MetricsSources): Family[] => {
  const collector = writer();
  const queries = pool();
  const stored = inventory();
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    { name: 'daybook_info', help: 'Version of Daybook.', kind: 'gauge', samples: [[{ version }, 1]] },
    {
      name: 'daybook_hits',
      help: 'Hits since the start, by how they ended.',
      kind: 'counter',
      samples: by('outcome', collector.outcomes),
    },
    gauge('daybook_writable', '1 while hits can be written, else 0.', collector.healthy ? 1 : 0),
    gauge('daybook_hit_queue', 'Hits that wait for the disk.', collector.queued),
    gauge('daybook_hit_queue_bytes', 'Size of their requests.', collector.queuedBytes),
    {
      name: 'daybook_commit_seconds',
      help: 'Time that writing a batch of hits took.',
      kind: 'histogram',
      samples: collector.commits,
    },
    {
      name: 'daybook_sync_seconds',
      help: 'Time that the disk took to make a batch durable.',
      kind: 'histogram',
      samples: collector.syncs,
    },
    {
      name: 'daybook_queries',
      help: 'Questions since the start, by how they ended.',
      kind: 'counter',
      samples: by('outcome', Object.entries(queries.outcomes)),
    },
    {
      name: 'daybook_query_seconds',
      help: 'Time from a question to its answer, waiting included.',
      kind: 'histogram',
      samples: queries.times,
    },
    gauge('daybook_query_queue', 'Questions that wait for a thread.', queries.waiting),
    gauge('daybook_query_running', 'Questions that a thread works on.', queries.running),
    gauge('daybook_sealed_days', 'Days that are sealed, over all sites.', stored.sealedDays),
    gauge('daybook_open_rows', 'Rows of days that are not sealed, or not yet dropped.', stored.openRows),
    gauge('daybook_database_bytes', 'Size of the database file.', stored.databaseBytes),
    gauge('daybook_log_bytes', 'Size of the write-ahead log.', stored.logBytes),
    gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
    gauge('nodejs_heap_used_bytes', 'JavaScript heap in use on the main thread.', heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers on the main thread.', external),
    { name: 'process_cpu_seconds', help: 'Processor time used.', kind: 'counter', samples: one((user + system) / 1e6) },
    gauge('process_start_time_seconds', 'When the server started, in Unix time.', startedAt / 1000),
  ];
};

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const line = (name: string, labels: Labels, value: number): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
};

const histogramLines = (name: string, histogram: Histogram): string => {
  const buckets = histogram.buckets().map(([bound, count]) => line(`${name}_bucket`, { le: String(bound) }, count));
  const all = line(`${name}_bucket`, { le: '+Inf' }, histogram.count);
  return `${buckets.join('')}${all}${line(`${name}_sum`, {}, histogram.sum)}${line(`${name}_count`, {}, histogram.count)}`;
};

const familyLines = ({ name, help, kind, samples }: Family): string => {
  const head = `# TYPE ${name} ${kind}\n# HELP ${name} ${help}\n`;
  if (!Array.isArray(samples)) return head + histogramLines(name, samples as Histogram);
  const full = kind === 'counter' ? `${name}_total` : name;
  return head + samples.map(([labels, value]) => line(full, labels, value)).join('');
};

/** The whole answer. */
const renderMetrics = (sources: MetricsSources): string => `${families(sources).map(familyLines).join('')}# EOF\n`;

const isLoopback = addressMatcher(['loopback']);
/** What a proxy leaves on a request that it passes on. */
const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'cf-connecting-ip'];

/** Whether a request may read the metrics: it has the token, or, where there is none, comes from this machine. */
const mayReadMetrics = ({ headers, socket }: IncomingMessage, token: string | null): boolean => {
  if (token !== null) {
    const given = bearerToken(headers.authorization) ?? '';
    return timingSafeEqual(digestOf(given), digestOf(token));
  }
  const address = canonicalRange(socket.remoteAddress ?? '');
  return address !== null && isLoopback(address) && forwardingHeaders.every(name => headers[name] === undefined);
};

const contentType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** Answers GET /metrics for those who may read it; false, and nothing done, for everything else. */
export const metricsHandler =
  (sources: MetricsSources, token: string | null, log: Log): Handle =>
  (request, response, path) => {
    const found = findRoute(request.method, path);
    if (found === undefined || !mayReadMetrics(request, token)) return false;
    const reply =
      found.route === undefined
        ? new HttpError('method-not-allowed', {}, { allow: found.allow }).reply
        : { status: 200, headers: { 'content-type': contentType }, body: renderMetrics(sources) };
    respond(request, response, reply, log);
    return true;
  };

const findRoute = createRouter([{ method: 'GET', path: '/metrics' }]);
