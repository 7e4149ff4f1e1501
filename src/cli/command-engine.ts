/** Answers questions of a command by a thread of its own process. */
import { type Environment, readConfig } from '../config.ts';
import { createQueryPool, type QueryPool } from '../query/threads/pool.ts';

/** The caller closes it. */
export const engineOfCommand = ({ dataDir, env }: { dataDir: string; env: Environment }): QueryPool =>
  createQueryPool({
    ...{ dataDir, workers: 1, cacheBytesMax: 2 ** 24, waitingMax: 8 },
    deadlineMs: readConfig(env, { data: dataDir }).queryDeadlineMs,
  });
