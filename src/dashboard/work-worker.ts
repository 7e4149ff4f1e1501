/**
 * The thread that does long work on a site's hits for the dashboard: as the commands do it, with a
 * connection of its own and in short transactions.
 */
import { Readable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { importFiles } from '../import/import-files.ts';
import { KnownRowsProblem } from '../import/import-report.ts';
import { openInputs } from '../import/inputs.ts';
import { ImportProblem } from '../import/problem.ts';
import { stepBack, waitingWork } from '../step-back.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { freeBytes } from '../store/free-bytes.ts';
import { imports } from '../store/imports/imports.ts';
import { undoImport } from '../store/imports/write-import.ts';
import { putBack } from '../store/moved-hits/put-back.ts';
import { removals } from '../store/moved-hits/removals.ts';
import { runSteps } from '../store/run-steps.ts';
import { siteDirectory } from '../store/sites.ts';
import { spareBytes, type Work, type WorkerData, type WorkMessage, type WorkProgress } from './work.ts';

class Stopped extends Error {}

stepBack(waitingWork);
const { dataDir, siteId, work, geo, now, random } = workerData as WorkerData;
const port = parentPort!;
const say = (message: WorkMessage): void => port.postMessage(message);
const stopping = new AbortController();
port.once('message', () => stopping.abort());

const step = (progress: WorkProgress): void => {
  say({ kind: 'progress', progress });
  if (stopping.signal.aborted) throw new Stopped();
};

const stepsOf = (db: Database, of: Extract<Work, { kind: 'undo' | 'undo-import' }>) =>
  of.kind === 'undo' ? putBack(db, removals(db).byId(of.removalId)) : undoImport(db, imports(db).byId(of.importId));

let given = 0;
const givenRandom = (bytes: number): Buffer => {
  given += bytes;
  if (given > random.length) throw new Error('There are no more random bytes.');
  return Buffer.from(random.subarray(given - bytes, given));
};

/** Packed files may grow a lot, and the collector needs the disk: half of what is free now. */
const freeAtStart = freeBytes(dataDir);
const roomKept = Math.max(spareBytes, freeAtStart / 2);
const keepRoom = (): void => {
  if (freeBytes(dataDir) >= roomKept) return;
  const [free, kept] = [freeAtStart, roomKept].map(
    bytes => `${Math.round(bytes / 2 ** 20).toLocaleString('en-US')} MiB`,
  );
  throw new ImportProblem(
    `There is not enough room on the disk of the server: ${free} were free when this import began, and ${kept} must stay free. ` +
      'Other work on the server takes room, too.',
  );
};

const importInto = async (
  db: Database,
  { files, format, known, dryRun }: Extract<Work, { kind: 'import' }>,
): Promise<void> => {
  const inputs = await openInputs({
    files: files.map(({ path }) => path),
    names: files.map(({ name }) => name),
    ...{ stdin: Readable.from([]), dataDir, signal: stopping.signal },
  });
  try {
    const report = await importFiles({
      ...{ db, site: siteDirectory(db).byId(siteId)!, inputs, format: format ?? undefined, dryRun, geo },
      ...(known !== null && { known }),
      ...{ log: () => {}, random: givenRandom, now: () => now, runSteps },
      check: ({ lines, part, days }) => {
        keepRoom();
        step({ done: days?.done ?? 0, of: days?.of ?? 0, hits: lines, part });
      },
    });
    say({ kind: 'report', report });
  } finally {
    inputs.close();
  }
};

/** The thread that started this one holds the lock of imports. */
const run = async (): Promise<void> => {
  const db = openDatabase(dataDir);
  try {
    if (work.kind === 'import') await importInto(db, work);
    else await runSteps(stepsOf(db, work), progress => step({ hits: 0, part: null, ...progress }));
  } finally {
    db.close();
  }
};

run()
  .catch((error: Error) => {
    // The next try goes on where it was stopped.
    if (error instanceof Stopped || stopping.signal.aborted) return say({ kind: 'stopped' });
    const choose = error instanceof KnownRowsProblem ? ' Choose what becomes of them.' : '';
    const what = error instanceof ImportProblem ? ` Nothing is imported.${choose}` : '';
    say({ kind: 'failed', message: `${error.message}${what}` });
  })
  .finally(() => port.close());
