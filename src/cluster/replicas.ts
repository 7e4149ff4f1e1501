/**
 * Asks the replicas of a shard, which hold the same. Questions go to the one with the least to do.
 * One that hangs costs a few seconds once: then another is asked the same, and the first rests
 * until it answers again.
 */
import { type ClickHouseStatement, isAway, isMissing, send } from './client.ts';

/** What is known of a replica. */
interface ReplicaState {
  /** Questions that it works on. */
  running: number;
  /** It failed, was late, or lacks what others have. */
  isDoubted: boolean;
  /** It is asked after all others until then. */
  restsUntil: number;
  probedAt: number;
}

/** Another replica is asked after so long, or after a quarter of what the answer may take. */
const lateMs = 3000;
const restMs = 10_000;
const probeEveryMs = 1000;
const probeMs = 2000;
/** One that is further behind misses hits that others have. */
const delayMaxS = 1;

const states = new WeakMap<URL, ReplicaState>();
const stateOf = (replica: URL): ReplicaState => {
  const known = states.get(replica);
  if (known !== undefined) return known;
  const fresh = { running: 0, isDoubted: false, restsUntil: 0, probedAt: Number.NEGATIVE_INFINITY };
  states.set(replica, fresh);
  return fresh;
};

const rest = (replica: URL): void => {
  Object.assign(stateOf(replica), { isDoubted: true, restsUntil: performance.now() + restMs });
};

const trust = (replica: URL): void => {
  const state = stateOf(replica);
  if (performance.now() > state.restsUntil) state.isDoubted = false;
};

/** Those that are well, by what they have to do; then those that rest. */
const inOrder = (replicas: readonly URL[]): URL[] => {
  const rank = (replica: URL): number => {
    const { isDoubted, restsUntil, running } = stateOf(replica);
    return isDoubted ? 1e9 + restsUntil : running;
  };
  // Which of two idle ones comes first is left to chance, by the clock.
  const first = Math.floor(performance.now()) % replicas.length;
  return [...replicas.slice(first), ...replicas.slice(0, first)].sort((a, b) => rank(a) - rank(b));
};

/** Whether an error speaks of the replica alone. */
const isOfReplica = (error: unknown): boolean => isAway(error) || isMissing(error);

/** Looks now and then how each is, while something is asked of them. */
const probeAll = (replicas: readonly URL[]): void => {
  if (replicas.length === 1) return;
  for (const replica of replicas) {
    const state = stateOf(replica);
    if (performance.now() - state.probedAt < probeEveryMs) continue;
    state.probedAt = performance.now();
    // Where it has no tables, it has none of what the others have.
    const sql =
      'select if(count() = 0, 3600, max(absolute_delay)) from system.replicas where database = currentDatabase()';
    send(replica, { sql, timeoutMs: probeMs }).then(
      delay => (Number(delay) > delayMaxS ? rest : trust)(replica),
      error => isOfReplica(error) && rest(replica),
    );
  }
};

/**
 * Asks what changes nothing, of one replica or of several; resolves with the first answer. Rejects
 * as `send` does, when the statement cannot be answered or no replica answers in time.
 */
export const askShard = (replicas: readonly URL[], statement: ClickHouseStatement): Promise<string> => {
  probeAll(replicas);
  const waiting = inOrder(replicas);
  const until = performance.now() + statement.timeoutMs;
  const running = new Map<URL, AbortController>();
  const late = new Set<URL>();
  let timer: NodeJS.Timeout | undefined;
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const stop of running.values()) stop.abort();
      running.clear();
    };
    const ask = (): void => {
      clearTimeout(timer);
      const replica = waiting.shift();
      if (replica === undefined) return;
      const stop = new AbortController();
      running.set(replica, stop);
      if (waiting.length > 0) timer = setTimeout(askAnother, Math.min(lateMs, statement.timeoutMs / 4));
      const state = stateOf(replica);
      state.running++;
      const signal = AbortSignal.any([stop.signal, ...(statement.signal === undefined ? [] : [statement.signal])]);
      send(replica, { ...statement, timeoutMs: Math.max(1, Math.ceil(until - performance.now())), signal })
        .finally(() => state.running--)
        .then(answer => {
          // It had much to do, and was the first all the same.
          if (late.has(replica)) state.isDoubted = false;
          end();
          resolve(answer);
        })
        .catch(error => {
          if (running.get(replica) !== stop) return; // it was late, and another one has answered
          running.delete(replica);
          const isItsOwn = isOfReplica(error) && statement.signal?.aborted !== true;
          if (isItsOwn) rest(replica);
          if (isItsOwn && waiting.length > 0) return ask();
          if (isItsOwn && running.size > 0) return;
          end();
          reject(error);
        });
    };
    const askAnother = (): void => {
      for (const replica of running.keys()) {
        rest(replica);
        late.add(replica);
      }
      ask();
    };
    ask();
  });
};
