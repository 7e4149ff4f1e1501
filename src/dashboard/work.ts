/** What the server and its thread for long work (work-worker.ts) tell each other. */
import type { ImportOptions, ImportReport } from '../import/import-report.ts';
import type { PutBackProgress } from '../store/moved-hits/put-back.ts';

export type ImportGeo = ImportOptions['geo'];

export type Work =
  /** Puts hits back that an earlier version removed. */
  | { kind: 'undo'; removalId: number }
  | {
      kind: 'import';
      files: { path: string; name: string }[];
      /** Name of the format; null for what the files tell. */
      format: string | null;
      /** What becomes of rows that are here already; null where nobody said. */
      known: 'leave-out' | 'import' | null;
      /** Reads and counts, and changes nothing. */
      dryRun: boolean;
    }
  | { kind: 'undo-import'; importId: number };

/** Of an import, `hits` are the lines that were read. */
export interface WorkProgress extends PutBackProgress {
  /** How much of an import's files is read, 0 to 1; null where nobody knows, and for other work. */
  part: number | null;
}

export interface WorkerData {
  dataDir: string;
  siteId: number;
  work: Work;
  geo: ImportGeo;
  /** UTC milliseconds. */
  now: number;
  /** Random bytes, `randomMax` of them. */
  random: Uint8Array;
}

/** More than an import takes. */
export const randomMax = 256;

export type WorkMessage =
  | { kind: 'progress'; progress: WorkProgress }
  | { kind: 'report'; report: ImportReport }
  | { kind: 'stopped' }
  | { kind: 'failed'; message: string };

/** What long work and uploads leave free on the disk, which hits need. */
export const spareBytes = 256 * 1024 * 1024;
