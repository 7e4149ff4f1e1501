/**
 * The collector's HTTP side: six endpoints and their aliases (docs/collecting.md). Turns requests into arrivals
 * for the pipeline, entries over to the writer, and outcomes into answers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Log, reasonOf } from '../log.ts';
import type { Random } from '../model/ids.ts';
import { bodyBytesMax, crawlReportsMax } from '../model/limits.ts';
import { type Outcome, outcomes } from '../model/outcomes.ts';
import { type Database, openLogSync } from '../store/database.ts';
import { sealer } from '../store/day/seal.ts';
import { diskCheck } from '../store/maintenance/disk-check.ts';
import { salts } from '../store/salts.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { type Entry, recorder } from '../store/write/recorder.ts';
import {
  type Answer,
  batchAnswer,
  healthAnswer,
  hitAnswer,
  notAllowedAnswer,
  preflightAnswer,
  probeAnswer,
  reportsAnswer,
  send,
} from './answer.ts';
import { parseJson, readBody, sendAndDiscard } from './body.ts';
import { bundleAnswers } from './bundle.ts';
import { clientAddressReader } from './client-address.ts';
import { dayClock } from './clock.ts';
import { openGeo } from './geo.ts';
import { type Arrival, createPipeline } from './pipeline.ts';
import { userAgentCharsMax } from './user-agent.ts';
import { createWriter, type Writer } from './writer.ts';

export interface CollectorOptions {
  db: Database;
  directory: SiteDirectory;
  /** The tracker, as it is served. */
  tracker: Buffer;
  /** Entries of TRUST_PROXY. */
  trustProxy: readonly string[];
  /** GEO_DB; null for the database that ships. */
  geoDb: string | null;
  /** Hits that may wait for the disk, and the bytes of their requests. */
  queueMax: number;
  queueBytesMax: number;
  /** New texts that a site may bring on a day. */
  newTextsMax?: number;
  now: () => number;
  random: Random;
  log: Log;
}

export interface Collector {
  /** Answers a request if its path is one of the collector's; false when it is not. `path` is without query. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): boolean;
  /** Begins a new day's salt, so that yesterday's is gone even when no hit comes. */
  rotateSalt(): void;
  writer: Writer;
  /** Writes what waits, and lets go of all but the database. */
  close(): Promise<void>;
}

/** What a path does; HEAD is where GET is. */
interface Route {
  method: 'GET' | 'POST';
  serve(request: IncomingMessage, response: ServerResponse, path: string): void;
}

/** Resolves when it can take hits. */
export const createCollector = async (options: CollectorOptions): Promise<Collector> => {
  const { db, directory, now, random, log } = options;
  // Read by other threads, while this one looks at the open days.
  const opening = openGeo({ file: options.geoDb, log });
  const records = recorder(db, options.newTextsMax);
  const firstOpenDay = (sealer(db).newest() ?? Number.NEGATIVE_INFINITY) + 1;
  const clock = dayClock(now, firstOpenDay);
  const geo = await opening;
  const pipeline = createPipeline({ recorder: records, salts: salts(db), directory, geo, random, startAt: clock() });
  const writer = createWriter({
    recorder: records,
    logSync: openLogSync(db),
    diskCheck: diskCheck(db),
    queueMax: options.queueMax,
    queueBytesMax: options.queueBytesMax,
    onVisitLost: pipeline.forget,
    log,
  });
  const addressOf = clientAddressReader(options.trustProxy);
  const bundleAnswer = bundleAnswers(options.tracker);
  const refreshSites = oncePerTurn(directory.refresh);
  const atEndOfTurn = gather();

  /** A path whose posts become arrivals. */
  const post = (take: (arrival: Arrival, bytes: number, response: ServerResponse) => void): Route => ({
    method: 'POST',
    serve(request, response) {
      readBody(request, bodyBytesMax, bytes => {
        if (bytes === undefined) {
          writer.note({ siteId: 0, at: clock(), outcome: 'too-large' });
          sendAndDiscard(request, response, hitAnswer('too-large', 'hash'));
          return;
        }
        const { headers, socket } = request;
        // Asked for now: a socket that is closed by the end of the turn has none.
        const { remoteAddress } = socket;
        atEndOfTurn(() => {
          const at = clock();
          try {
            refreshSites();
          } catch (error) {
            // Sites that cannot be read are a failing disk like any other: the hit is not taken, and the next one looks again.
            log('sites-unreadable', { reason: reasonOf(error) });
            refuse({ siteId: 0, at, outcome: 'unavailable' }, response);
            return;
          }
          const address = addressOf(remoteAddress, headers['x-forwarded-for'] as string | undefined);
          const userAgent = (headers['user-agent'] ?? '').slice(0, userAgentCharsMax);
          take({ at, address, userAgent, body: parseJson(bytes) }, bytes.length, response);
        });
      });
    },
  });

  const get = (answer: (request: IncomingMessage, path: string) => Answer): Route => ({
    method: 'GET',
    serve: (request, response, path) => send(response, answer(request, path)),
  });

  /** A new day's salt that cannot be stored ends a hit like a full disk does. */
  const walk = (way: (arrival: Arrival) => Entry, arrival: Arrival): Entry => {
    try {
      return way(arrival);
    } catch (error) {
      log('hit-failed', { reason: reasonOf(error) });
      return { siteId: 0, at: arrival.at, outcome: 'unavailable' };
    }
  };

  const takeHit = post((arrival, bytes, response) => {
    const entry = walk(pipeline.process, arrival);
    if (entry.outcome !== 'recorded') {
      refuse(entry, response);
      return;
    }
    writer.submit(entry, bytes, outcome => {
      const mode = directory.byId(entry.siteId)?.identityMode ?? 'hash';
      send(response, hitAnswer(outcome, mode));
    });
  });

  const refuse = (entry: Entry, response: ServerResponse): void => {
    writer.note(entry);
    send(response, hitAnswer(entry.outcome, 'hash'));
  };

  /**
   * Submits entries, each before the next is made, and answers when all have ended. One that was not taken takes the
   * others' answer with it.
   */
  const submitEach = (
    count: number,
    entryAt: (index: number) => Entry,
    bytes: number,
    response: ServerResponse,
    answer: (outcomes: Outcome[]) => Answer,
  ): void => {
    const ended: Outcome[] = [];
    let left = count;
    const finish = (): void => {
      const refused = ended.find(outcome => outcomes[outcome].status === 503);
      send(response, refused === undefined ? answer(ended) : hitAnswer(refused, 'hash'));
    };
    if (count === 0) finish();
    for (let index = 0; index < count; index++) {
      writer.submit(entryAt(index), bytes / count, outcome => {
        ended[index] = outcome;
        if (--left === 0) finish();
      });
    }
  };

  const takeBatch = post((arrival, bytes, response) => {
    const bodies = arrival.body;
    if (!Array.isArray(bodies) || bodies.length > batchHitsMax) {
      refuse({ siteId: 0, at: arrival.at, outcome: 'bad-payload' }, response);
      return;
    }
    const entryAt = (index: number): Entry => walk(pipeline.process, { ...arrival, body: bodies[index] });
    submitEach(bodies.length, entryAt, bytes, response, batchAnswer);
  });

  /** All reports or none: a server that made a mistake in one can send them again without counting the others twice. */
  const takeReports = post((arrival, bytes, response) => {
    const bodies: unknown[] = Array.isArray(arrival.body) ? arrival.body : [arrival.body];
    if (bodies.length > crawlReportsMax) {
      refuse({ siteId: 0, at: arrival.at, outcome: 'bad-payload' }, response);
      return;
    }
    const entries = bodies.map(body => walk(pipeline.report, { ...arrival, body }));
    const wrong = entries.find(({ outcome }) => outcomes[outcome].status !== 202);
    if (wrong !== undefined) refuse(wrong, response);
    else submitEach(entries.length, index => entries[index]!, bytes, response, reportsAnswer);
  });

  const script = get(({ headers }) => bundleAnswer(headers));
  const routes = new Map<string, Route>([
    ['/e', takeHit],
    ['/api/send', takeHit],
    ['/api/collect', takeHit],
    ['/api/batch', takeBatch],
    ['/crawl', takeReports],
    ['/t.js', script],
    ['/script.js', script],
    ['/health', get(() => healthAnswer(writer.healthy()))],
  ]);
  const probePrefix = '/c/';
  const probe = get((_, path) => {
    refreshSites();
    return probeAnswer(directory.find(path.slice(probePrefix.length))?.identityMode);
  });

  return {
    handle(request, response, path) {
      const route = routes.get(path) ?? (path.startsWith(probePrefix) ? probe : undefined);
      if (route === undefined) return false;
      const { method } = request;
      if (method === route.method || (method === 'HEAD' && route.method === 'GET'))
        route.serve(request, response, path);
      else if (method === 'OPTIONS') send(response, preflightAnswer(request.headers['access-control-request-headers']));
      else send(response, notAllowedAnswer[route.method]);
      return true;
    },
    rotateSalt() {
      try {
        pipeline.rotate(clock());
      } catch (error) {
        // The day's first hit tries again, and is refused for as long as it does not go.
        log('salt-not-rotated', { reason: reasonOf(error) });
      }
    },
    writer,
    async close() {
      await writer.close();
      geo.close();
    },
  };
};

/** Hits in one POST /api/batch: more do not fit into 32 KiB, unless they say nothing. */
const batchHitsMax = 200;

/**
 * The call runs at most once per turn of the event loop: what happened since the turn began is seen in the next one.
 */
const oncePerTurn = (call: () => void): (() => void) => {
  let called = false;
  const forget = (): void => {
    called = false;
  };
  return () => {
    if (called) return;
    called = true;
    setImmediate(forget);
    call();
  };
};

/**
 * Calls are kept for the end of the turn of the event loop and then follow one another, so that what one needs is still in the
 * processor's cache for the next: of a busy collector's time that saves a tenth. They must not throw.
 */
const gather = (): ((call: () => void) => void) => {
  let calls: (() => void)[] = [];
  const run = (): void => {
    const due = calls;
    calls = [];
    for (const call of due) call();
  };
  return call => {
    if (calls.push(call) === 1) setImmediate(run);
  };
};
