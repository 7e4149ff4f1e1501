/**
 * What a primary answers those that follow it: the control state at GET /cluster/state. How they
 * are they say at POST /cluster/node. Whoever does not show a token of the cluster is told so, and
 * nothing is written down.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { HttpError } from '../http/errors.ts';
import { readJson } from '../http/json-body.ts';
import type { Handle } from '../http/listener.ts';
import { json, type Reply, respond } from '../http/reply.ts';
import { createRouter, type Route } from '../http/router.ts';
import { type Log, reasonOf } from '../log.ts';
import { acceptsEncoding, bearerToken } from '../model/headers.ts';
import type { Random } from '../model/ids.ts';
import type { NodeShipping } from '../model/node-state.ts';
import { isRecord } from '../model/record.ts';
import { dayMs, utcDayOf } from '../model/time.ts';
import { apiKeys } from '../store/accounts/accounts.ts';
import { digestOf } from '../store/accounts/digest.ts';
import { clusterStore } from '../store/cluster.ts';
import { type ControlTables, control, type Role, roles } from '../store/control.ts';
import { controlTags } from '../store/control-tags.ts';
import type { Database } from '../store/database.ts';
import { type InvitedNode, nodeTokens } from '../store/node-tokens.ts';
import { nodes } from '../store/nodes.ts';
import { makeSalt, salts } from '../store/salts.ts';

/**
 * What GET /cluster/state answers, with its tag as `etag`. A follower shows the tag of what it has
 * as `if-match`, and gets 409 where that is not known here; and as `if-none-match`, where it has
 * taken all of it.
 */
export interface ControlState {
  tables: ControlTables;
  /** Today's and, from noon on, tomorrow's, in hexadecimal. None where nothing is collected. */
  salts: { day: number; salt: string }[];
  /** The setting CLICKHOUSE. */
  clickhouse: string;
  /** The id of the cluster. */
  cluster: string;
}

/** What POST /cluster/node takes: 50 characters of the version, and NodeShipping's `stats`. */
export interface NodeReport {
  /** Of the directory, 32 hexadecimal digits. */
  identity: string;
  /** Of this start of the program, 16 hexadecimal digits. */
  process: string;
  role: Role;
  /** Of Daybook. */
  version: string;
  /** When it last used which API key, UTC milliseconds; at most `keyUsesMax` of them. */
  keyUses: (readonly [keyId: number, at: number])[];
  /** How it is: numbers and texts by name. */
  stats: Record<string, unknown>;
}

/** As many as fit into a report. */
export const keyUsesMax = 5000;

/** What a node said last, under the name that its token was made for; null for the token of all. */
export interface LastReport extends NodeShipping {
  /** Of its directory. */
  identity: string;
  /** UTC milliseconds. */
  seenAt: number;
  address: string;
  name: string | null;
  role: Role;
  version: string;
  /** The newest first, of two at most. */
  processes: readonly string[];
  /** When another process last reported from a copy of its directory; null for never. */
  twinAt: number | null;
}

export interface ControlEndpoint {
  handle: Handle;
  /** Who reported since the start, and of late. */
  nodes(): LastReport[];
  /** Who was invited. */
  invited(): InvitedNode[];
}

export interface ControlParts {
  db: Database;
  /** CLUSTER_TOKEN, which is good for all servers; null for none but those that were invited. */
  token: string | null;
  /** The setting CLICKHOUSE. */
  clickhouse: string;
  /** UTC milliseconds. */
  now: () => number;
  random: Random;
  log: Log;
}

export const statePath = '/cluster/state';
/** What a follower says behind `?role=…` that knows what keys may do. */
export const knownScopes = '&knows=scopes';
const knowsScopes = ({ url = '' }: IncomingMessage): boolean => url.includes(knownScopes);
export const nodePath = '/cluster/node';

export const createControl = (parts: ControlParts): ControlEndpoint => {
  const { db, token, log } = parts;
  const book = nodeBook(parts);
  const stateOf = stateReader(parts);
  const findRoute = createRouter<ControlRoute>([
    {
      method: 'GET',
      path: statePath,
      answer: async (request, node) => stateOf(rightRole(roleOf(request), node), request),
    },
    {
      method: 'POST',
      path: nodePath,
      async answer(request, node) {
        const body = await readJson(request, bodyBytesMax, 'body-too-large');
        const report = reportOf(body);
        rightRole(report.role, node);
        book.take(report, addressOf(request), node === 'any' ? null : node.name);
        // A collector of an earlier version goes on under its number until it is updated.
        return json(200, { number: (body as { number?: unknown }).number ?? null });
      },
    },
  ]);
  const tokens = nodeTokens(db);
  const shared = token === null ? null : digestOf(token);
  /** Whoever shows the token of all has no name. */
  const nodeOf = ({ headers }: IncomingMessage): InvitedNode | 'any' => {
    const shown = bearerToken(headers.authorization) ?? '';
    if (shared !== null && timingSafeEqual(digestOf(shown), shared)) return 'any';
    const node = tokens.nodeOf(shown);
    if (node === undefined) throw new HttpError('unknown-token');
    return node;
  };

  return {
    handle(request, response, path) {
      const found = findRoute(request.method, path);
      if (found?.route === undefined) return false;
      const { route } = found;
      const answer = async (): Promise<Reply> => route.answer(request, nodeOf(request));
      const reply = answer().catch(error => {
        if (error instanceof HttpError) return error.reply;
        log('control-failed', { reason: reasonOf(error) });
        return new HttpError('internal').reply;
      });
      respond(request, response, reply, log);
      return true;
    },
    nodes: book.list,
    invited: tokens.list,
  };
};

interface ControlRoute extends Route {
  answer(request: IncomingMessage, node: InvitedNode | 'any'): Promise<Reply>;
}

/** A collector's token reads no settings of those who answer, nor the other way round. */
const rightRole = (role: Role, node: InvitedNode | 'any'): Role => {
  if (node === 'any' || node.role === role) return role;
  throw new HttpError('wrong-role', { error: `the token of ${node.name} is for daybook ${node.role}` });
};

/** A state as it is sent. */
interface Written {
  etag: string;
  body: Buffer;
  zipped: Buffer;
}

/** The tables are read again at most this often: other programs may change the file often. */
const readAgainMs = 500;

const stateReader = ({
  db,
  clickhouse,
  now,
  random,
  log,
}: ControlParts): ((role: Role, to: IncomingMessage) => Reply) => {
  const tables = control(db);
  const cluster = clusterStore(db).makeId(random);
  const tags = controlTags(db, random);
  const handedSalts = saltsToHandOut(db, now, random);
  const written = new Map<string, Written & { salts: string }>();
  let isStale = false;
  let readAt = Number.NEGATIVE_INFINITY;

  const refresh = (): void => {
    isStale ||= tables.mayHaveChanged();
    if (!isStale || performance.now() - readAt < readAgainMs) return;
    written.clear();
    isStale = false;
    readAt = performance.now();
  };

  const stateOf = (role: Role, knowsScopes: boolean): Written => {
    refresh();
    const name = knowsScopes ? role : `${role} without scopes`;
    const given = role === 'collect' ? handedSalts() : [];
    const kept = written.get(name);
    if (kept?.salts === JSON.stringify(given)) return kept;
    const state: ControlState = { tables: tables.read(role, knowsScopes), salts: given, clickhouse, cluster };
    const body = Buffer.from(JSON.stringify(state));
    const etag = `"${tags.tagOf(role, createHash('sha256').update(body).digest('base64url'), now())}"`;
    const made = { etag, body, zipped: gzipSync(body, { level: 1 }), salts: JSON.stringify(given) };
    written.set(name, made);
    return made;
  };

  return (role, request) => {
    const shown = tagIn(request.headers['if-match']);
    if (shown !== undefined && !tags.isKnown(shown)) {
      if (tags.refuse(shown, role, now())) log('state-unknown', { of: addressOf(request) });
      throw new HttpError('unknown-state');
    }
    return stateReply(request.headers, stateOf(role, knowsScopes(request)));
  };
};

/** The tag in a header; undefined for none. */
const tagIn = (header: string | undefined): string | undefined => /^"([0-9a-f]{32})"$/.exec(header ?? '')?.[1];

/** Collectors go on for so long without the primary, at least. */
const saltAheadMs = dayMs / 2;

const saltsToHandOut = (db: Database, now: () => number, random: Random): (() => ControlState['salts']) => {
  const store = salts(db);
  return () => {
    const today = utcDayOf(now());
    const tomorrow = utcDayOf(now() + saltAheadMs);
    if (tomorrow > today && store.of(tomorrow) === undefined) store.keepNext({ day: tomorrow, salt: makeSalt(random) });
    return [today, today + 1].flatMap(day => {
      const salt = store.of(day);
      return salt === undefined ? [] : [{ day, salt: salt.toString('hex') }];
    });
  };
};

const roleOf = ({ url }: IncomingMessage): Role => {
  const asked = new URLSearchParams(/\?.*/s.exec(url ?? '')?.[0]).get('role');
  const role = roles.find(name => name === asked);
  if (role === undefined)
    throw new HttpError('bad-parameter', { error: 'unknown role', parameter: 'role', allowed: roles });
  return role;
};

const stateReply = (headers: IncomingMessage['headers'], { etag, body, zipped }: Written): Reply => {
  const common = { etag, vary: 'accept-encoding' };
  if (headers['if-none-match'] === etag) return { status: 304, headers: common, body: '' };
  const typed = { ...common, 'content-type': 'application/json; charset=utf-8' };
  return acceptsEncoding(headers['accept-encoding'], 'gzip')
    ? { status: 200, headers: { ...typed, 'content-encoding': 'gzip' }, body: zipped }
    : { status: 200, headers: typed, body };
};

/** A report is short, but for the uses of keys. */
const bodyBytesMax = 256 * 1024;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Throws HttpError for what is no report. */
const reportOf = (body: unknown): NodeReport => {
  const { identity, process, role, version, keyUses, stats } = isRecord(body) ? body : {};
  const isReport =
    typeof identity === 'string' &&
    /^[0-9a-f]{32}$/.test(identity) &&
    typeof process === 'string' &&
    /^[0-9a-f]{16}$/.test(process) &&
    roles.some(name => name === role) &&
    typeof version === 'string' &&
    Array.isArray(keyUses) &&
    keyUses.length <= keyUsesMax &&
    keyUses.every(use => Array.isArray(use) && use.length === 2 && use.every(isCount)) &&
    isRecord(stats);
  if (!isReport) throw new HttpError('bad-body');
  return { identity, process, role, version, keyUses, stats } as NodeReport;
};

const versionCharsMax = 50;
const failureCharsMax = 200;

/** Of what a node says of itself, what is shown: all else is not kept. */
const shippingOf = ({ lagMs, waitingHits, failure }: Record<string, unknown>): NodeShipping => ({
  lagMs: isMeasured(lagMs) ? lagMs : null,
  waitingHits: isCount(waitingHits) ? waitingHits : null,
  failure: typeof failure === 'string' ? copyOf(failure, failureCharsMax) : null,
});

/** A slice would keep the whole report in memory. */
const copyOf = (text: string, charsMax: number): string => Buffer.from(text.slice(0, charsMax)).toString();

const isMeasured = (value: unknown): value is number => Number.isFinite(value) && (value as number) >= 0;

const addressOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? '';

/** Nodes are forgotten after so long without a report. */
const forgottenMs = dayMs;
/** Of so many with the same token what they said last is kept: none of them hides others. */
const seenMax = 500;

const copied =
  'Two servers run on copies of one directory. Stop one of them, and start it again on an empty directory.';
/** A server that another one has replaced reports no more. */
const twinMs = 60_000;

/** A process that reports although a later one did, too, runs beside that. */
const twinAtOf = (last: LastReport | undefined, process: string, now: number): number | null => {
  if (last === undefined) return null;
  if (last.processes.indexOf(process) > 0) return now;
  return last.twinAt !== null && now - last.twinAt < twinMs ? last.twinAt : null;
};

/** Who follows. */
const nodeBook = ({ db, now, log }: ControlParts) => {
  const collectors = nodes(db);
  const keys = apiKeys(db);
  const seen = new Map<string, LastReport>();

  /** Keeps what a node last said behind what all others did. */
  const keep = (said: LastReport): void => {
    seen.delete(said.identity);
    seen.set(said.identity, said);
    const ofToken = [...seen.values()].filter(({ name }) => name === said.name);
    for (const { identity, seenAt } of ofToken)
      if (seenAt < now() - forgottenMs || identity === ofToken.at(-1 - seenMax)?.identity) seen.delete(identity);
  };

  return {
    take({ identity, process, role, version, keyUses, stats }: NodeReport, address: string, name: string | null) {
      const last = seen.get(identity);
      const twinAt = twinAtOf(last, process, now());
      if (last !== undefined && twinAt !== null && last.twinAt === null)
        log('directory-copied', { of: address, and: last.address });
      if (role === 'collect') collectors.note(identity, now());
      // The clocks of two servers differ a little, but nothing was used after now.
      if (keyUses.length > 0) keys.stampUsed(new Map(keyUses.map(([id, at]) => [id, Math.min(at, now())])));
      const shown = copyOf(version, versionCharsMax);
      const shipping = shippingOf(stats);
      if (twinAt !== null) shipping.failure ??= copied;
      const processes = [process, ...(last?.processes ?? []).filter(one => one !== process)].slice(0, 2);
      keep({ identity, seenAt: now(), address, name, role, version: shown, processes, twinAt, ...shipping });
    },
    list: () => [...seen.values()].filter(({ seenAt }) => seenAt >= now() - forgottenMs),
  };
};
