/** What a server does not live through every second, again and again: its threads end, and the past is imported beside it. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Server } from '../faults/server-process.ts';
import { builtProgram } from '../tools/build.ts';

const run = promisify(execFile);
const hitsPerImport = 500;

export interface Restless {
  /** Ends after what is under way; tells how often its threads were ended, and how many hits were imported. */
  stop(): Promise<{ threads: number; imported: number }>;
}

/** Every `everyMs` the server's threads are ended, and a file is imported for the site of the domain. */
export const startRestless = (server: Server, dataDir: string, domain: string, everyMs: number): Restless => {
  const end = new AbortController();
  let [threads, imported] = [0, 0];
  const importOnce = async (round: number): Promise<void> => {
    const day = new Date(Date.UTC(2026, 0, 1 + round)).toISOString().slice(0, 10);
    const lines = Array.from({ length: hitsPerImport }, (_, i) =>
      JSON.stringify({
        at: `${day}T${String(i % 24).padStart(2, '0')}:00:00.000Z`,
        visitor: `visitor ${i % 90}`,
        hit: { u: `https://${domain}/past/${round}/${i % 40}` },
      }),
    );
    const file = join(dataDir, `past-${round}.ndjson`);
    writeFileSync(file, lines.join('\n'));
    await run(process.execPath, [builtProgram, 'import', file, '--site', domain, '--data', dataDir]);
    imported += hitsPerImport;
  };
  const goOn = async (): Promise<void> => {
    for (let round = 0; !end.signal.aborted; round++) {
      threads += await server.endWorkers();
      await importOnce(round);
      await wait(everyMs, undefined, { signal: end.signal }).catch(() => {});
    }
  };
  const done = goOn();
  return {
    async stop() {
      end.abort();
      await done;
      return { threads, imported };
    },
  };
};
