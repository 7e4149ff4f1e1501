/** Brings a database up to date as openDatabase does, in steps that can be stopped; or tries it. */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { WorkDone } from '../../model/work-done.ts';
import { converting } from '../conversion.ts';
import { copyBefore, databaseFile, deleteDatabase, dropSalts, makePrivate, openCopy, openReader } from '../database.ts';
import { copyPages } from './backup.ts';

/** Told how far it is; may throw to stop. */
type OnStep = (done: WorkDone) => void;

/** Keeps the file as it was beside it. What is stopped leaves all as it was. */
export const upgradeDatabase = async (dataDir: string, onStep: OnStep): Promise<void> => {
  const file = databaseFile(dataDir);
  const copy = copyBefore(file);
  const isKept = existsSync(copy);
  let isDone = false;
  try {
    if (!isKept) await keepCopy(dataDir, copy, onStep);
    await convert(file, onStep);
    isDone = true;
  } finally {
    // It would be out of date when the upgrade is tried again.
    if (!isDone && !isKept) deleteDatabase(copy);
  }
};

/** Does all that the upgrade would do, on a copy that goes away; the file may be in use. */
export const rehearseUpgrade = async (dataDir: string, onStep: OnStep): Promise<void> => {
  const scratch = mkdtempSync(join(dataDir, 'upgrade-'));
  try {
    const file = databaseFile(scratch);
    await copyPages(openReader(dataDir), file, onStep);
    await convert(file, onStep);
  } finally {
    rmSync(scratch, { recursive: true });
  }
};

const keepCopy = async (dataDir: string, copy: string, onStep: OnStep): Promise<void> => {
  const partial = `${copy}.partial`;
  deleteDatabase(partial);
  try {
    await copyPages(openReader(dataDir), partial, onStep);
    const copied = openCopy(partial);
    dropSalts(copied);
    copied.close();
    renameSync(partial, copy);
  } finally {
    deleteDatabase(partial);
  }
};

const convert = async (file: string, onStep: OnStep): Promise<void> => {
  makePrivate(file);
  const db = openCopy(file);
  try {
    for (const done of converting(db)) {
      onStep(done);
      await turn();
    }
  } finally {
    db.close();
  }
};
