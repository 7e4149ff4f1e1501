/**
 * GET /metrics in the OpenMetrics text format: what an operator watches, and GET /metrics/sites
 * where the traffic of sites is counted. Only programs on this
 * machine that come through no proxy may read it; or, where a token is set, whoever has the token.
 * Everybody else gets 404.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { WriterStats } from './collect/writer.ts';
import { HttpError } from './http/errors.ts';
import type { Handle } from './http/listener.ts';
import { type Reply, respond } from './http/reply.ts';
import { createRouter } from './http/router.ts';
import type { Log } from './log.ts';
import { isLoopbackHost } from './model/address.ts';
import { bearerToken } from './model/headers.ts';
import { Histogram } from './model/histogram.ts';
import { addressMatcher, canonicalRange } from './model/ip-ranges.ts';
import type { KindStats } from './outbox/sender.ts';
import { version } from './package-root.ts';
import type { QueueStats } from './query/threads/task-queue.ts';
import { digestOf } from './store/accounts/digest.ts';
import type { CopyStats } from './store/copies/copies.ts';
import type { DatabaseStats } from './store/read/database-stats.ts';
import type { TextAllowances } from './store/write/text-allowances.ts';

type Labels = Record<string, string>;
type Sample = readonly [labels: Labels, value: number];

/** One row of the answer. A counter's samples are named `<name>_total`. */
type Family = readonly [
  name: string,
  kind: 'gauge' | 'counter' | 'histogram',
  help: string,
  value: number | readonly Sample[] | Histogram,
];

/** Times are milliseconds, and moments UTC milliseconds. */
export interface ForwardingStats {
  lagMs: number;
  waitingHits: number;
  lastShippedAt: number | null;
  failure: string | null;
}

/** A collector as it last reported. */
export interface CollectorSeen {
  /** Of its directory. */
  identity: string;
  /** As it was invited; null for one with the token of all. */
  name: string | null;
  seenAt: number;
  lagMs: number | null;
}

/** Since the start; visitors are those of the last five minutes. */
export interface SiteTraffic {
  site: string;
  /** Its team. */
  account: string;
  visitors: number;
  hits: readonly (readonly [type: string, count: number])[];
  conversions: readonly (readonly [goal: string, count: number])[];
}

/** How many sites there are, and the traffic of some. */
export interface Traffic {
  all: number;
  some: readonly SiteTraffic[];
}

/** What a server does not do is missing. */
export interface MetricsSources {
  /** Hits that are taken, and the texts of them that became (other). */
  hits?: { writer: () => WriterStats; otherTexts: TextAllowances['totals']; aheadMs: () => number };
  traffic?: (() => Traffic) | undefined;
  /** Questions that are answered here. */
  pool?: () => QueueStats;
  stored: () => DatabaseStats;
  /** When the primary that it follows last answered, UTC milliseconds. */
  primaryAt?: () => number | null;
  /** How hits are brought to ClickHouse: null until they are. */
  forwarding?: (() => ForwardingStats | null) | undefined;
  /** The collectors that follow. */
  collectors?: () => CollectorSeen[];
  copies?: (() => CopyStats) | undefined;
  /** Messages that leave, by kind. */
  messages?: () => Record<string, KindStats>;
  /** UTC milliseconds at which the server started. */
  startedAt: number;
}

/** Samples that differ in one label. */
const by = (label: string, counts: Iterable<readonly [string, number]>): readonly Sample[] =>
  Array.from(counts, ([value, count]) => [{ [label]: value }, count] as const);

/** Every family, in the order in which they are shown. */
const families = (sources: MetricsSources): Family[] => {
  const { hits, pool, copies, primaryAt, startedAt } = sources;
  const [stored, forwarding, collectors] = [sources.stored(), sources.forwarding?.(), sources.collectors?.() ?? []];
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    ['daybook_info', 'gauge', 'Version of Daybook.', [[{ version }, 1]]],
    ...(hits ? hitFamilies(hits) : []),
    ...(pool ? queryFamilies(pool()) : []),
    ['daybook_sealed_days', 'gauge', 'Sealed days, over all sites.', stored.sealedDays],
    ['daybook_open_rows', 'gauge', 'Rows of days that are not sealed, or not yet dropped.', stored.openRows],
    ['daybook_database_bytes', 'gauge', 'Size of the database file.', stored.databaseBytes],
    ['daybook_disk_free_ratio', 'gauge', 'How much of its disk is free, from 0 to 1.', stored.freeShare],
    ['daybook_log_bytes', 'gauge', 'Size of the write-ahead log.', stored.logBytes],
    ...(copies ? copyFamilies(copies()) : []),
    ...(primaryAt ? primaryFamilies(primaryAt()) : []),
    ...(forwarding ? forwardingFamilies(forwarding) : []),
    ...(collectors.length === 0 ? [] : collectorFamilies(collectors)),
    ...Object.entries(sources.messages?.() ?? {}).flatMap(messageFamilies),
    ['process_resident_memory_bytes', 'gauge', 'Memory of the process.', rss],
    ['nodejs_heap_used_bytes', 'gauge', 'JavaScript heap in use on the main thread.', heapUsed],
    ['nodejs_external_memory_bytes', 'gauge', 'Memory of buffers on the main thread.', external],
    ['process_cpu_seconds', 'counter', 'Processor time used.', (user + system) / 1e6],
    ['process_start_time_seconds', 'gauge', 'When the server started, in Unix time.', startedAt / 1000],
  ];
};

const hitFamilies = ({ writer, otherTexts, aheadMs }: Required<MetricsSources>['hits']): Family[] => {
  const { outcomes, healthy, queued, queuedBytes, commits, syncs } = writer();
  return [
    ['daybook_hits', 'counter', 'Hits since the start, by how they ended.', by('outcome', outcomes)],
    [
      'daybook_other_texts',
      'counter',
      'New texts that became (other) since the start, by kind and by whose allowance was used up.',
      Array.from(otherTexts(), ({ kind, bound, texts }) => [{ kind, bound }, texts] as const),
    ],
    ['daybook_writable', 'gauge', '1 while hits can be written, else 0.', healthy ? 1 : 0],
    [
      'daybook_hits_ahead_seconds',
      'gauge',
      'How far the day that hits count for is ahead of the clock: it was ahead, or is behind.',
      aheadMs() / 1000,
    ],
    ['daybook_hit_queue', 'gauge', 'Hits that wait for the disk.', queued],
    ['daybook_hit_queue_bytes', 'gauge', 'Size of their requests.', queuedBytes],
    ['daybook_commit_seconds', 'histogram', 'Time to write a batch of hits.', commits],
    ['daybook_sync_seconds', 'histogram', 'Time the disk took to make a batch durable.', syncs],
  ];
};

const queryFamilies = ({ outcomes, times, waiting, running }: QueueStats): Family[] => [
  [
    'daybook_queries',
    'counter',
    'Queries since the start, by how they ended.',
    by('outcome', Object.entries(outcomes)),
  ],
  ['daybook_query_seconds', 'histogram', 'Time to answer a query, waiting included.', times],
  ['daybook_query_queue', 'gauge', 'Queries that wait for a thread.', waiting],
  ['daybook_query_running', 'gauge', 'Queries that a thread works on.', running],
];

/** A time that has not come yet is 0, as is usual. */
const secondsOf = (at: number | null): number => (at ?? 0) / 1000;

const copyFamilies = ({ copiedAt, verifiedAt, failure, bytes }: CopyStats): Family[] => [
  ['daybook_backup_time_seconds', 'gauge', 'Moment that the newest copy holds, in Unix time.', secondsOf(copiedAt)],
  ['daybook_backup_verified_time_seconds', 'gauge', 'When a copy was last verified.', secondsOf(verifiedAt)],
  ['daybook_backup_failing', 'gauge', '1 while copies fail, else 0.', failure === null ? 0 : 1],
  ['daybook_backup_sent_bytes', 'counter', 'Bytes sent to BACKUP_TO since the start.', bytes],
];

const primaryFamilies = (heardAt: number | null): Family[] => [
  ['daybook_primary_time_seconds', 'gauge', 'When the primary last answered, in Unix time.', secondsOf(heardAt)],
];

const forwardingFamilies = ({ lagMs, waitingHits, lastShippedAt, failure }: ForwardingStats): Family[] => [
  ['daybook_forward_lag_seconds', 'gauge', 'How long the oldest hit waits to be brought to ClickHouse.', lagMs / 1000],
  ['daybook_forward_queue', 'gauge', 'Hits that wait for it, up to some 50,000.', waitingHits],
  [
    'daybook_forward_time_seconds',
    'gauge',
    'When something was last brought there, in Unix time.',
    secondsOf(lastShippedAt),
  ],
  ['daybook_forward_failing', 'gauge', '1 while that fails, else 0.', failure === null ? 0 : 1],
];

const collectorFamilies = (collectors: readonly CollectorSeen[]): Family[] => {
  const byNode = (figure: (collector: CollectorSeen) => number): readonly Sample[] =>
    collectors.map(of => [{ node: of.identity.slice(0, 8), name: of.name ?? '' }, figure(of)] as const);
  return [
    [
      'daybook_node_time_seconds',
      'gauge',
      'When a collector last reported, in Unix time.',
      byNode(of => secondsOf(of.seenAt)),
    ],
    ['daybook_node_lag_seconds', 'gauge', 'Its lag, as it last reported.', byNode(of => (of.lagMs ?? 0) / 1000)],
  ];
};

const messageFamilies = ([kind, { sent, failed, waiting, failure }]: [string, KindStats]): Family[] => [
  [`daybook_${kind}_sent`, 'counter', `Messages (${kind}) that were sent since the start.`, sent],
  [`daybook_${kind}_failed`, 'counter', `Messages (${kind}) that were given up since the start.`, failed],
  [`daybook_${kind}_waiting`, 'gauge', `Messages (${kind}) that wait.`, waiting],
  [`daybook_${kind}_failing`, 'gauge', `1 while no message (${kind}) can leave, else 0.`, failure === null ? 0 : 1],
];

const trafficFamilies = ({ all, some }: Traffic): Family[] => {
  const bySite = (figure: (traffic: SiteTraffic) => readonly Sample[]): Sample[] =>
    some.flatMap(({ site, account, ...traffic }) =>
      figure({ site, account, ...traffic }).map(([labels, count]) => [{ site, account, ...labels }, count] as const),
    );
  return [
    ['daybook_sites', 'gauge', 'Sites, of which METRICS_SITES are told of here.', all],
    [
      'daybook_site_visitors',
      'gauge',
      'Visitors of the last five minutes.',
      bySite(({ visitors }) => [[{}, visitors]]),
    ],
    ['daybook_site_hits', 'counter', 'Hits since the start, by type.', bySite(({ hits }) => by('type', hits))],
    [
      'daybook_site_conversions',
      'counter',
      'Hits since the start that reached a goal which asks of a page or event.',
      bySite(({ conversions }) => by('goal', conversions)),
    ],
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

const familyLines = ([name, kind, help, value]: Family): string => {
  const head = `# TYPE ${name} ${kind}\n# HELP ${name} ${help}\n`;
  if (value instanceof Histogram) return head + histogramLines(name, value);
  const samples: readonly Sample[] = typeof value === 'number' ? [[{}, value]] : value;
  const full = kind === 'counter' ? `${name}_total` : name;
  return head + samples.map(([labels, count]) => line(full, labels, count)).join('');
};

/** The whole answer. */
const renderMetrics = (shown: readonly Family[]): Reply => ({
  ...{ status: 200, headers: { 'content-type': contentType } },
  body: `${shown.map(familyLines).join('')}# EOF\n`,
});

const isLoopback = addressMatcher(['loopback']);
/** Headers that proxies add. */
const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'cf-connecting-ip'];

/**
 * Whether a request may read the metrics: it has the token, or, where there is none, comes from
 * this machine.
 */
const mayReadMetrics = ({ headers, httpVersion, socket }: IncomingMessage, token: string | null): boolean => {
  if (token !== null) {
    const given = bearerToken(headers.authorization) ?? '';
    return timingSafeEqual(digestOf(given), digestOf(token));
  }
  const address = canonicalRange(socket.remoteAddress ?? '');
  return (
    address !== null &&
    isLoopback(address) &&
    // A page in a browser on this machine may ask under a name of its own that leads here (DNS
    // rebinding). Its requests carry that name.
    isLoopbackHost(headers.host ?? '') &&
    // nginx speaks it where nothing else is said, and then hands on no header that tells of a
    // client.
    httpVersion !== '1.0' &&
    forwardingHeaders.every(name => headers[name] === undefined)
  );
};

const contentType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** What GET /health?detail says: as /metrics, times in ISO 8601, null where there is none. */
const renderDetail = ({ hits, copies }: MetricsSources): { isHealthy: boolean; body: string } => {
  const isHealthy = hits?.writer().healthy ?? true;
  const copied = copies?.();
  const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  const backup = copied && {
    copiedAt: time(copied.copiedAt),
    verifiedAt: time(copied.verifiedAt),
    failure: copied.failure,
    waiting: copied.waiting,
  };
  return { isHealthy, body: `${JSON.stringify({ ok: isHealthy, backup: backup ?? null })}\n` };
};

/**
 * Answers GET /metrics, /metrics/sites and /health?detail for those who may read them; false, and
 * nothing done, for everything else.
 */
export const metricsHandler =
  (sources: MetricsSources, token: string | null, log: Log): Handle =>
  (request, response, path) => {
    if (path === '/metrics/sites' && sources.traffic === undefined) return false;
    if (path === '/health' && !/\?detail\b/.test(request.url ?? '')) return false;
    const found = findRoute(request.method, path);
    if (found === undefined || !mayReadMetrics(request, token)) return false;
    const reply =
      found.route === undefined
        ? new HttpError('method-not-allowed', {}, { allow: found.allow }).reply
        : found.route.reply(sources);
    respond(request, response, reply, log);
    return true;
  };

const findRoute = createRouter([
  {
    method: 'GET',
    path: '/metrics',
    reply: (sources: MetricsSources): Reply => renderMetrics(families(sources)),
  },
  {
    method: 'GET',
    path: '/metrics/sites',
    reply: ({ traffic }: MetricsSources): Reply => renderMetrics(trafficFamilies(traffic!())),
  },
  {
    method: 'GET',
    path: '/health',
    reply: (sources: MetricsSources): Reply => {
      const { isHealthy, body } = renderDetail(sources);
      return { status: isHealthy ? 200 : 503, headers: { 'content-type': 'application/json' }, body };
    },
  },
]);
