/**
 * The hits that benchmarks ask about, made once from a plan and kept under the system's temporary
 * folder, which may be emptied at any time. Names carry a digest of the programs that make the
 * data: when they change, it is made anew. When the schema changes, it is converted as anybody's is.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/package-root.ts';
import { openDatabase } from '../src/store/database.ts';
import { encoded, sealer } from '../src/store/day/seal.ts';
import { textWriter } from '../src/store/texts.ts';
import { addSite } from '../test/helpers.ts';
import { generateDays, type TrafficPlan } from './generate.ts';

export const benchHome = join(tmpdir(), 'daybook-bench');

/** What every kind of data depends on. */
const commonSources = ['bench/generate.ts', 'src/model/columns.ts'];

/**
 * A folder of that name that `make` has filled: now, unless it is there from an earlier time.
 * Half-filled folders never get the name. `programs` are those that fill it, from the root of the
 * package.
 */
export const kept = (name: string, programs: readonly string[], make: (dir: string) => void): string => {
  const digest = createHash('sha256');
  for (const file of [...commonSources, ...programs]) digest.update(readFileSync(join(packageRoot, file)));
  const dir = join(benchHome, `${name}-${digest.digest('hex').slice(0, 8)}`);
  if (existsSync(dir)) return dir;
  const making = `${dir}.making-${process.pid}`;
  console.error(`making ${dir}`);
  try {
    mkdirSync(making, { recursive: true });
    make(making);
    // Another run may have been faster.
    if (!existsSync(dir)) renameSync(making, dir);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return dir;
};

export const planName = ({ hits, days, firstDay, seed, cookies, pages }: TrafficPlan): string =>
  [hits, days, firstDay, seed, cookies, pages].join('-');

/** Data directory of a database with one site, whose days are those of the plan and sealed. */
export const sealedData = (plan: TrafficPlan): string => {
  const programs = ['bench/query-data.ts', 'src/store/day/column-codec.ts'];
  return converted(kept(`sealed-${planName(plan)}`, programs, dir => fillSealed(dir, plan)));
};

/** Brings a database up to date, and drops the copy that is made of it before. */
export const converted = (dir: string): string => {
  const db = openDatabase(dir);
  db.pragma('wal_checkpoint(truncate)');
  db.close();
  for (const name of readdirSync(dir)) if (name.includes('.before-version-')) rmSync(join(dir, name));
  return dir;
};

export const fillSealed = (dir: string, plan: TrafficPlan): void => {
  const db = openDatabase(dir);
  const { id: siteId } = addSite(db);
  const seal = sealer(db);
  const texts = textWriter(db);
  db.exec('begin immediate');
  for (const day of generateDays(plan, siteId, text => texts.id(siteId, text))) {
    const sealing = seal.begin(day);
    for (const _ of sealing.write(encoded(day)));
    sealing.finish(0);
  }
  db.exec('commit');
  db.pragma('wal_checkpoint(truncate)');
  db.close();
};
