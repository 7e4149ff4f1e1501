/** What a data directory holds of the hits that a crowd sent, and whether all is well with it. */

import { openReader } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { sites } from '../../src/store/sites.ts';

const farAhead = Date.UTC(3000, 0, 1);

/** How often each number is stored, in sealed columns and open rows alike. */
export const storedNumbers = (dataDir: string): Map<number, number> => {
  const db = openReader(dataDir);
  const counts = new Map<number, number>();
  try {
    const reader = dayReader(db, 0);
    for (const { id: siteId } of sites(db).list()) {
      const key = reader.texts.find(siteId, 'n');
      for (const day of reader.days(siteId, 0, farAhead)) {
        const { codes, dictionary } = day.texts('propertyKey');
        const numbers = day.numbers('propertyNumber');
        for (let row = 0; row < codes.length; row++) {
          if (dictionary[codes[row]!] !== key) continue;
          counts.set(numbers[row]!, (counts.get(numbers[row]!) ?? 0) + 1);
        }
      }
    }
    return counts;
  } finally {
    db.close();
  }
};

export const problemsOf = (dataDir: string): string[] => {
  const db = openReader(dataDir);
  try {
    return Array.from(checkDatabase(db)).flatMap(({ problems }) => problems);
  } finally {
    db.close();
  }
};

/** Throws unless every acknowledged number is stored, none is stored twice, and the database is sound. */
export const verify = (dataDir: string, acknowledged: Iterable<number>): { stored: number } => {
  const stored = storedNumbers(dataDir);
  const inOrder = [...acknowledged];
  const lost = inOrder.filter(number => !stored.has(number));
  const twice = [...stored].filter(([, count]) => count > 1).map(([number]) => number);
  const problems = problemsOf(dataDir);
  if (lost.length > 0) {
    const places = [lost[0]!, lost.at(-1)!].map(number => inOrder.indexOf(number) + 1).join(' to ');
    throw new Error(
      `${lost.length} acknowledged hits are lost, among the acknowledgements ${places} of ${inOrder.length}.`,
    );
  }
  if (twice.length > 0) throw new Error(`${twice.length} hits are stored twice, such as number ${twice[0]}.`);
  if (problems.length > 0) throw new Error(`The database is damaged: ${problems.slice(0, 3).join(' ')}`);
  return { stored: stored.size };
};

/** Whether a server was killed in the middle of sealing: parts that are not sealed, or a sealed day that still has rows. */
export const isHalfSealed = (dataDir: string): boolean => {
  const db = openReader(dataDir);
  try {
    const columns = db.prepare('select 1 from day_part where sealed_at is null limit 1');
    const rows = db.prepare(
      'select 1 from day_part d join hit h on h.site_id = d.site_id and h.day = d.day where sealed_at is not null limit 1',
    );
    return columns.get() !== undefined || rows.get() !== undefined;
  } finally {
    db.close();
  }
};
