/** What all replicas of a shard say: they hold the same, but for what is still on its way. */
import { setTimeout as wait } from 'node:timers/promises';
import { isAway, isMissing } from './client.ts';
import { ShipError } from './day-contents.ts';

export interface AgreeOptions<T> {
  /** How long they may say different things. */
  agreeMs?: number | undefined;
  /** Whether one that is away is not waited for, while another is there. */
  mayBeAway?: boolean;
  /** Whether an answer has all that one before it had, where rows come meanwhile. */
  hasAll?(said: T, before: T): boolean;
  /** What is to be done about it, behind the error. */
  advice?: string;
}

const [agreeMsDefault, pollMs] = [10_000, 100];

/**
 * Rejects as `ask` does where a replica is away, and with ShipError where they go on saying
 * different things: one has lost rows, or was away when they came.
 */
export const saidByAll = async <T>(
  replicas: readonly URL[],
  ask: (replica: URL) => Promise<T>,
  { agreeMs = agreeMsDefault, mayBeAway = false, hasAll = () => false, advice = '' }: AgreeOptions<T> = {},
): Promise<T> => {
  let before: readonly T[] = [];
  for (const until = performance.now() + agreeMs; ; await wait(pollMs)) {
    const answers = await Promise.allSettled(replicas.map(ask));
    const failures = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason as Error] : []));
    const said = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []));
    const mayFail = (error: Error): boolean => mayBeAway && said.length > 0 && (isAway(error) || isMissing(error));
    const failure = failures.find(error => !mayFail(error));
    if (failure !== undefined) throw failure;
    if (new Set(said.map(one => JSON.stringify(one))).size === 1) return said[0]!;
    if (before.length > 0 && said.every(one => before.every(earlier => hasAll(one, earlier)))) return said[0]!;
    before = said;
    if (performance.now() > until)
      throw new ShipError(
        `${replicas.map(({ host }) => host).join(' and ')} hold different things, and should hold the same.${advice}`,
      );
  }
};
