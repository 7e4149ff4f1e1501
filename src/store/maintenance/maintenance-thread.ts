/** The maintenance's side of its threads: questions to them and their answers. */
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../start-worker.ts';
import type { SiteDay } from '../day/open/open-days.ts';
import type { EncodedDay } from '../day/seal.ts';
import { serialQueue } from '../serial-queue.ts';
import type { MaintenanceReply, MaintenanceRequest } from './maintenance-worker.ts';

export interface MaintenanceThread {
  encode(siteDay: SiteDay): Promise<EncodedDay>;
  checkpoint(truncate: boolean): Promise<number | null>;
  close(): Promise<void>;
}

/**
 * The worker, started when it is first needed and again after it died. It answers in the order it
 * is asked.
 */
export const maintenanceThread = (dataDir: string): MaintenanceThread => {
  let worker: Worker | undefined;
  const start = (): Worker => {
    const started = startWorker('maintenance-worker', 'src/store/maintenance/maintenance-worker.ts', { dataDir });
    started.once('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  };

  const inTurn = serialQueue();
  const ask = (request: MaintenanceRequest): Promise<MaintenanceReply> => inTurn(() => exchange(request));

  const exchange = (request: MaintenanceRequest): Promise<MaintenanceReply> =>
    new Promise((resolve, reject) => {
      worker ??= start();
      const asked = worker;
      const settle = (result: MaintenanceReply | Error): void => {
        asked.off('message', settle);
        asked.off('error', settle);
        asked.off('exit', onExit);
        if (result instanceof Error) reject(result);
        else if (result.kind === 'failed') reject(new Error(result.message));
        else resolve(result);
      };
      const onExit = (code: number): void => settle(new Error(`the maintenance thread ended with code ${code}`));
      asked.on('message', settle);
      asked.on('error', settle);
      asked.on('exit', onExit);
      asked.postMessage(request);
    });

  return {
    async encode(siteDay) {
      const reply = await ask({ kind: 'encode', siteDay });
      if (reply.kind !== 'encoded') throw new Error(`unexpected reply ${reply.kind}`);
      return reply.encoded;
    },
    async checkpoint(truncate) {
      const reply = await ask({ kind: 'checkpoint', truncate });
      if (reply.kind !== 'checkpointed') throw new Error(`unexpected reply ${reply.kind}`);
      return reply.logPages;
    },
    async close() {
      const ending = worker;
      if (ending === undefined) return;
      const ended = new Promise<void>(resolve => ending.once('exit', () => resolve()));
      ending.postMessage({ kind: 'close' } satisfies MaintenanceRequest);
      await ended;
    },
  };
};
