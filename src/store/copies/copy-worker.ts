/** The thread that copies, and the one that proves copies: each is asked for one of the two. */
import { parentPort, workerData } from 'node:worker_threads';
import { reasonOf } from '../../log.ts';
import { stepBack, waitingWork } from '../../step-back.ts';
import { isDue } from './clock.ts';
import { type Copier, type CopierOptions, createCopier, type Round } from './copier.ts';
import { keyOf, noncesOf, objects } from './objects.ts';
import { openPlace } from './open-place.ts';
import { lookMs, renewMs } from './owner.ts';
import type { PlaceSettings } from './place.ts';
import { readVerified, type Verdict, verifyNewest } from './verify.ts';

/** What a thread is started with. */
export interface CopySettings extends Omit<CopierOptions, 'place' | 'sealed'> {
  to: PlaceSettings;
}

export type CopyRequest =
  | { kind: 'copy'; now: number }
  /** Proves the newest point, unless that was done less than `restMs` ago. */
  | { kind: 'verify'; now: number; restMs: number }
  | { kind: 'distrust'; packs: number[] }
  | { kind: 'close' };

export type CopyReply =
  | ({ kind: 'copied' } & Round)
  /** It watches for `restMs` whether the server that the directory was restored from still runs. */
  | { kind: 'waiting'; restMs: number }
  | ({ kind: 'verified' } & Verdict)
  | { kind: 'failed'; message: string };

stepBack(waitingWork);
const { to, ...options } = workerData as CopySettings;
const place = openPlace(to);
const sealed = objects(keyOf(to), noncesOf(Buffer.from(options.owner.process, 'hex')));
let copier: Copier | undefined;

const verify = async (now: number, restMs: number): Promise<CopyReply> => {
  const last = await readVerified(place, sealed);
  if (last !== null && !isDue(now, last.at, restMs)) return { kind: 'verified', verified: last, bad: [], problems: [] };
  return { kind: 'verified', ...(await verifyNewest(place, sealed, options.dataDir, now)) };
};

const copy = async (now: number): Promise<CopyReply> => {
  copier ??= createCopier({ ...options, place, sealed });
  const round = await copier.round(now);
  return round === null ? { kind: 'waiting', restMs: lookMs } : { kind: 'copied', ...round };
};

// What keeps it from doing so fails in the next round, too, and is told there.
setInterval(() => void copier?.renew().catch(() => {}), renewMs).unref();

const answer = async (request: CopyRequest): Promise<void> => {
  if (request.kind === 'close') {
    copier?.close();
    parentPort!.close();
    return;
  }
  if (request.kind === 'distrust') {
    copier?.distrust(request.packs);
    return;
  }
  let reply: CopyReply;
  try {
    reply = request.kind === 'copy' ? await copy(request.now) : await verify(request.now, request.restMs);
  } catch (error) {
    reply = { kind: 'failed', message: reasonOf(error) };
  }
  parentPort!.postMessage(reply);
};

parentPort!.on('message', (request: CopyRequest) => void answer(request));
