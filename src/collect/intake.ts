/**
 * Puts arrivals through the pipeline, hands their entries to the writer, and answers with how they
 * ended.
 */
import type { ServerResponse } from 'node:http';
import { type Log, reasonOf } from '../log.ts';
import { crawlReportsMax } from '../model/limits.ts';
import { type Outcome, outcomes } from '../model/outcomes.ts';
import { isRecord } from '../model/record.ts';
import type { SiteDirectory } from '../store/sites.ts';
import type { Entry } from '../store/write/recorder.ts';
import type { Arrival, Pipeline } from './pipeline.ts';
import { batchReply, hitReply, reportsReply, send } from './replies.ts';
import { believed, type ReadByShape } from './told.ts';
import type { Writer } from './writer.ts';

/** What a form says of one hit of a body, which it may change. */
export type ReadOwn = (hit: unknown) => Pick<Arrival, 'order' | 'told'>;

/** Takes what arrived in a body of so many bytes, and answers. */
export type Take = (arrival: Arrival, bytes: number, response: ServerResponse, readOwn?: ReadOwn) => void;

/** Calls `done` with how each hit ended, once all have. */
export type TakeAll = (arrivals: readonly Arrival[], bytes: number, done: (ended: Outcome[]) => void) => void;

export interface Intake {
  /** One hit, or `{hits}` with a list of them. */
  takeHit: Take;
  /** A list of hits. Each has an outcome of its own. */
  takeBatch: Take;
  /** Hits that were read from another product's form. The caller answers. */
  takeAll: TakeAll;
  /**
   * One crawl report or a list of them: all or none, so that a server can correct a mistake without
   * counting the others twice.
   */
  takeReports: Take;
  /** Counts a hit that is not recorded. */
  note(entry: Entry): void;
  /** Counts such a hit and answers it. */
  refuse(entry: Entry, response: ServerResponse): void;
}

export interface IntakeParts {
  pipeline: Pick<Pipeline, 'process' | 'reports' | 'forgetOrder'>;
  writer: Pick<Writer, 'submit' | 'note'>;
  directory: SiteDirectory;
  readByShape: ReadByShape;
  log: Log;
}

/** Hits in one POST /api/batch. More do not fit into 32 KiB, unless they are empty. */
const batchHitsMax = 200;

export const createIntake = ({ pipeline, writer, directory, readByShape, log }: IntakeParts): Intake => {
  const { note } = writer;
  const entryOfHit = guarded(arrival => pipeline.process(inOurTerms(arrival)), log);

  /** Servers that send another product's hits may say in them for whom. */
  const inOurTerms = (arrival: Arrival): Arrival => {
    const read = readByShape(arrival.body, name => directory.find(name, arrival.accountId)?.domain);
    if (read === undefined) return arrival;
    const said = arrival.accountId === undefined ? {} : believed(read.told, arrival.at);
    return { ...arrival, ...said, body: read.body };
  };

  const refuse = (entry: Entry, response: ServerResponse): void => {
    note(entry);
    send(response, hitReply(entry.outcome, 'hash'));
  };

  const refuseList = ({ at }: Arrival, response: ServerResponse): void =>
    refuse({ siteId: 0, at, outcome: 'bad-payload' }, response);

  const end = ending(pipeline, writer);

  const takeAll: TakeAll = (arrivals, bytes, done) => {
    const entryAt = (index: number): Entry => entryOfHit(arrivals[index]!);
    endEach(end, { count: arrivals.length, bytes, entryAt }, done);
  };

  const takeBatch: Take = (arrival, bytes, response, readOwn) => {
    const bodies = arrival.body;
    if (!Array.isArray(bodies) || bodies.length > batchHitsMax) {
      refuseList(arrival, response);
      return;
    }
    const arrivals = bodies.map(body => ({ ...arrival, ...readOwn?.(body), body }));
    takeAll(arrivals, bytes, ended => send(response, batchReply(ended)));
  };

  return {
    note,
    refuse,
    takeHit(arrival, bytes, response, readOwn) {
      const { body } = arrival;
      if (isRecord(body) && Array.isArray(body.hits)) {
        takeBatch({ ...arrival, body: body.hits }, bytes, response, readOwn);
        return;
      }
      const entry = entryOfHit(readOwn === undefined ? arrival : { ...arrival, ...readOwn(body) });
      end(entry, bytes, outcome => {
        send(response, hitReply(outcome, directory.byId(entry.siteId)?.identityMode ?? 'hash'));
      });
    },
    takeBatch,
    takeAll,
    takeReports(arrival, bytes, response) {
      const bodies: unknown[] = Array.isArray(arrival.body) ? arrival.body : [arrival.body];
      if (bodies.length > crawlReportsMax) {
        refuseList(arrival, response);
        return;
      }
      const entries = pipeline.reports(bodies.map(body => ({ ...arrival, body })));
      const wrong = entries.find(({ outcome }) => outcomes[outcome].status !== 202);
      const entryAt = (index: number): Entry => entries[index]!;
      if (wrong !== undefined) refuse(wrong, response);
      else
        endEach(writer.submit, { count: entries.length, bytes, entryAt }, ended => send(response, reportsReply(ended)));
    },
  };
};

/** Only hits that are to be recorded wait for the disk, so that no others fill the queue. */
const ending =
  ({ forgetOrder }: IntakeParts['pipeline'], { submit, note }: IntakeParts['writer']): Submit =>
  (entry, bytes, done) => {
    if (entry.outcome !== 'recorded') {
      note(entry);
      done(entry.outcome);
      return;
    }
    submit(entry, bytes, outcome => {
      if (outcome !== 'recorded' && entry.order !== undefined) forgetOrder(entry.order);
      done(outcome);
    });
  };

/** A new day's salt that cannot be stored ends a hit as a full disk does. */
const guarded =
  (process: Pipeline['process'], log: Log) =>
  (arrival: Arrival): Entry => {
    try {
      return process(arrival);
    } catch (error) {
      log('hit-failed', { reason: reasonOf(error) });
      return { siteId: 0, at: arrival.at, outcome: 'unavailable' };
    }
  };

type Submit = Writer['submit'];

/** Ends each entry before the next is made. Calls `done` when all have ended. */
const endEach = (
  end: Submit,
  { count, bytes, entryAt }: { count: number; bytes: number; entryAt: (index: number) => Entry },
  done: (ended: Outcome[]) => void,
): void => {
  const ended: Outcome[] = [];
  let left = count;
  if (count === 0) done(ended);
  for (let index = 0; index < count; index++) {
    end(entryAt(index), bytes / count, outcome => {
      ended[index] = outcome;
      if (--left === 0) done(ended);
    });
  }
};
