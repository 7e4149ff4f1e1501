/** The collector over HTTP: its paths and what answers each (docs/collecting.md, "Endpoints"). */
import type { IncomingMessage } from 'node:http';
import { parseJson } from '../http/body.ts';
import type { Handle } from '../http/listener.ts';
import { createRouter, type PathParameters, type Route, type Router } from '../http/router.ts';
import { type Log, reasonOf } from '../log.ts';
import type { Random } from '../model/ids.ts';
import { makeKeyedHash } from '../model/keyed-hash.ts';
import { apiKeys } from '../store/accounts/accounts.ts';
import { type KeyFinder, keyFinder } from '../store/accounts/key-finder.ts';
import type { Database } from '../store/database.ts';
import { sealer } from '../store/day/seal.ts';
import { openLogSync } from '../store/log-sync.ts';
import { diskCheck } from '../store/maintenance/disk-check.ts';
import { salts } from '../store/salts.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { type HitRecord, recorder } from '../store/write/recorder.ts';
import { type TextAllowances, textAllowances } from '../store/write/text-allowances.ts';
import { type ArrivalReader, arrivalReader, type Serve } from './arrivals.ts';
import { type SenderBudget, senderBudgets, type TakeFromBudget } from './budgets.ts';
import { bundleReplies } from './bundle.ts';
import { dayClock } from './clock.ts';
import { type FormParts, type HitForm, takeForm } from './forms.ts';
import { openGeo } from './geo.ts';
import { createIntake, type Intake, type Take } from './intake.ts';
import { type OtherHosts, otherHosts } from './other-hosts.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import {
  failedReply,
  healthReply,
  notAllowedReply,
  notFoundReply,
  type PreparedReply,
  preflightReply,
  probeReply,
  send,
} from './replies.ts';
import type { ReadByShape } from './told.ts';
import { createWriter, type Writer } from './writer.ts';

export interface CollectorOptions {
  db: Database;
  directory: SiteDirectory;
  /** Other products' forms of hits. */
  forms: readonly HitForm[];
  /** Reads another product's hits that come to our own paths. */
  readByShape: ReadByShape;
  /** The tracker's scripts by their paths. */
  scripts: Readonly<Record<string, Buffer>>;
  /** Entries of TRUST_PROXY. */
  trustProxy: readonly string[];
  /** GEO_DB; null for the database that ships. */
  geoDb: string | null;
  /** GEO_ASN_DB; null for the database that ships. */
  geoAsnDb: string | null;
  /** Hits that may wait for the disk, and the bytes of their requests. */
  queueMax: number;
  queueBytesMax: number;
  /** What one sender may send to a site that says nothing else. */
  senderBudget: SenderBudget;
  /** New texts of a kind that a site may bring on a day. */
  newTextsMax: number;
  /** Called with every hit that is on disk. */
  onRecorded?: ((hit: HitRecord) => void) | undefined;
  now: () => number;
  random: Random;
  log: Log;
}

export interface Collector {
  /** Answers a request to one of the collector's paths. */
  handle: Handle;
  /** Answers any other path as not found, to any origin. */
  handleUnknown: Handle;
  /** Begins a new day's salt, so that yesterday's is gone even when no hit comes. */
  rotateSalt(): void;
  /** Forgets the visit of a visitor: their next hit begins one. */
  forget: Pipeline['forget'];
  writer: Writer;
  /** Texts that became `(other)` since the start. */
  otherTexts: TextAllowances['totals'];
  /** Hosts that sites do not allow, of the last hits. */
  otherHosts: OtherHosts['of'];
  /** How far the day that hits count for is ahead of the clock (clock.ts). */
  aheadMs(): number;
  /** Writes what waits, and closes everything but the database. */
  close(): Promise<void>;
}

/** Resolves when it can take hits. */
export const createCollector = async (options: CollectorOptions): Promise<Collector> => {
  const { db, directory, now, random, log } = options;
  // Other threads read it, while this one looks at the open days.
  const opening = openGeo(options);
  const allowances = allowancesOf(options);
  const records = recorder(db, allowances);
  const firstOpenDay = (sealer(db).newest() ?? Number.NEGATIVE_INFINITY) + 1;
  const clock = dayClock(now, firstOpenDay, log);
  const geo = await opening;
  const hosts = otherHosts();
  const pipeline = createPipeline({
    noteOtherHost: hosts.note,
    recorder: records,
    salts: salts(db),
    directory,
    geo,
    random,
    ...{ takeFromBudget: budgetsOf(options), startAt: clock.read() },
  });
  const keys = keysOf(options);
  const writer = createWriter({
    recorder: records,
    logSync: openLogSync(db),
    diskCheck: diskCheck(db),
    queueMax: options.queueMax,
    queueBytesMax: options.queueBytesMax,
    ...{ onVisitLost: pipeline.forget, onRecorded: options.onRecorded },
    log,
  });
  const refreshSites = oncePerTurn(directory.refresh);
  const intake = createIntake({ pipeline, writer, directory, readByShape: options.readByShape, log });
  const reader = arrivalReader({ trustProxy: options.trustProxy, clock: clock.read, refreshSites, keys, intake, log });
  const findRoute = createRouter(
    [
      ...takingRoutes(intake, reader),
      ...formRoutes(options.forms, reader, { intake, directory, random, log }),
      ...Object.entries(options.scripts).map(bundleRoute),
      get('/health', () => healthReply(writer.healthy())),
      get('/c/:key', (_, { key = '' }) => {
        refreshSites();
        return probeReply(directory.find(key)?.identityMode);
      }),
      get('/c/*', () => probeReply(undefined)),
    ].flatMap(withPreflight),
  );

  return {
    handle: answering(findRoute, log),
    handleUnknown(_, response) {
      send(response, notFoundReply);
      return true;
    },
    rotateSalt() {
      try {
        pipeline.rotate(clock.read());
      } catch (error) {
        // The day's first hit tries again, and is refused as long as that fails.
        log('salt-not-rotated', { reason: reasonOf(error) });
      }
    },
    ...{ writer, forget: pipeline.forget },
    otherTexts: allowances.totals,
    ...{ otherHosts: hosts.of, aheadMs: clock.aheadMs },
    async close() {
      await writer.close();
      keys.close();
      geo.close();
    },
  };
};

/** Answers requests to the collector's paths. */
const answering =
  (findRoute: Router<CollectorRoute>, log: Log): Handle =>
  (request, response, path) => {
    const found = findRoute(request.method, path);
    if (found === undefined) return false;
    try {
      if (found.route === undefined) send(response, notAllowedReply(found.allow));
      else found.route.serve(request, response, found.parameters);
    } catch (error) {
      log('request-failed', { reason: reasonOf(error) });
      send(response, failedReply);
    }
    return true;
  };

/** One sender's budget, kept with a key of this process (docs/collecting.md, "Budgets"). */
const budgetsOf = ({ senderBudget, random }: CollectorOptions): TakeFromBudget =>
  senderBudgets(senderBudget, makeKeyedHash(random));

/** And a day's new texts (docs/collecting.md, "New texts"). */
const allowancesOf = ({ newTextsMax, random, directory, log }: CollectorOptions): TextAllowances =>
  textAllowances({
    newTextsMax,
    hash: makeKeyedHash(random),
    onUsedUp: (siteId, kind) => log('texts-used-up', { site: directory.byId(siteId)?.domain ?? siteId, kind }),
  });

const keysOf = ({ db, now, log }: CollectorOptions): KeyFinder =>
  keyFinder({
    keys: apiKeys(db),
    now,
    onStampFailed: error => log('stamp-failed', { reason: reasonOf(error) }),
  });

interface CollectorRoute extends Route {
  serve: Serve;
}

const takingRoutes = (intake: Intake, { reading }: ArrivalReader): CollectorRoute[] => {
  const readingJson = (take: Take): Serve =>
    reading(({ arrival, bytes, response }) => {
      arrival.body = parseJson(bytes);
      take(arrival, bytes.length, response);
    });
  return [
    ...['/e', '/api/send', '/api/collect'].map(path => post(path, readingJson(intake.takeHit))),
    post('/api/batch', readingJson(intake.takeBatch)),
    post('/crawl', readingJson(intake.takeReports)),
  ];
};

const formRoutes = (
  forms: readonly HitForm[],
  { reading, senderOf }: ArrivalReader,
  parts: Omit<FormParts, 'senderOf'>,
): CollectorRoute[] => forms.map(form => ({ ...form, serve: reading(takeForm(form, { ...parts, senderOf })) }));

const post = (path: string, serve: CollectorRoute['serve']): CollectorRoute => ({ method: 'POST', path, serve });

const get = (
  path: string,
  replyTo: (request: IncomingMessage, parameters: PathParameters) => PreparedReply,
): CollectorRoute => ({
  method: 'GET',
  path,
  serve: (request, response, parameters) => send(response, replyTo(request, parameters)),
});

const bundleRoute = ([path, bundle]: [string, Buffer]): CollectorRoute => {
  const replyTo = bundleReplies(bundle);
  return get(path, ({ headers }, { script = '' }) =>
    script.startsWith(containerPrefix) ? notFoundReply : replyTo(headers),
  );
};

/** Matomo's Tag Manager has scripts where Plausible's may have any name. They are not ours. */
const containerPrefix = 'container_';

const withPreflight = (route: CollectorRoute): CollectorRoute[] => [route, { ...preflight, path: route.path }];

const preflight: Omit<CollectorRoute, 'path'> = {
  method: 'OPTIONS',
  serve: ({ headers }, response) => send(response, preflightReply(headers['access-control-request-headers'])),
};

/**
 * Runs the call at most once per turn of the event loop. What happens in a turn after the call is
 * seen in the next turn.
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
