/** The maintenance's side of its threads: questions to them and their answers. */
import { askedThread } from '../../start-worker.ts';
import type { SiteDay } from '../day/open/open-days.ts';
import type { EncodedPart } from '../day/part-store.ts';
import { serialQueue } from '../serial-queue.ts';
import type { MaintenanceReply, MaintenanceRequest, MaintenanceSettings } from './maintenance-worker.ts';

/**
 * The worker, started when it is first needed, and again after it was closed or died. It answers in
 * the order it is asked.
 */
export const maintenanceThread = (
  dataDir: string,
  { partHitsMax, changed = null }: Partial<Omit<MaintenanceSettings, 'dataDir'>>,
) => {
  const thread = askedThread<MaintenanceRequest, MaintenanceReply>(
    'maintenance',
    () => ({ dataDir, partHitsMax, changed }) satisfies MaintenanceSettings,
  );
  const inTurn = serialQueue();
  const ask = (request: MaintenanceRequest) => inTurn(() => thread.ask(request));

  const askPart = async (request: MaintenanceRequest): Promise<EncodedPart | null> => {
    const reply = await ask(request);
    if (reply.kind !== 'encoded') throw new Error(`unexpected reply ${reply.kind}`);
    return reply.part;
  };

  return {
    /**
     * The parts of a day, all as of the moment when the first is asked for. One day at a time: it
     * ends when another is begun.
     */
    async *encode(siteDay: SiteDay) {
      for (
        let part = await askPart({ kind: 'encode', siteDay });
        part !== null;
        part = await askPart({ kind: 'encode next' })
      )
        yield part;
    },
    async checkpoint(truncate: boolean) {
      const reply = await ask({ kind: 'checkpoint', truncate });
      if (reply.kind !== 'checkpointed') throw new Error(`unexpected reply ${reply.kind}`);
      return reply.logPages;
    },
    /** Ends the worker, once it has answered. */
    close: () => inTurn(() => thread.close()),
  };
};
