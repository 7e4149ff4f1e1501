/**
 * The control states that a primary handed out, each by a random tag that is on disk before the
 * state leaves. Whoever shows a tag that is not here has its state from elsewhere: from another
 * primary, or from this one before it was restored from an older copy.
 */
import type { Random } from '../model/ids.ts';
import type { Role } from './control.ts';
import type { Database } from './database.ts';

/** A follower that was away for more states than this has to be adopted. */
const knownMax = 20_000;
/** Whoever has a token can show any tag. */
const refusedMax = 1000;

export const controlTags = (db: Database, random: Random) => {
  const newest = db.prepare(
    'select tag, digest from control_tag where role = ? and known = 1 order by rowid desc limit 1',
  );
  const find = db.prepare('select known from control_tag where tag = ?').pluck();
  const insert = db.prepare(
    'insert into control_tag (tag, role, digest, known, at) values (@tag, @role, @digest, @known, @now)',
  );
  const forget = db.prepare(
    `delete from control_tag where known = @known and rowid <=
       (select rowid from control_tag where known = @known order by rowid desc limit 1 offset @max)`,
  );
  const refused = db.prepare('select count(*) from control_tag where known = 0').pluck();
  const adopt = db.prepare('update control_tag set known = 1 where known = 0');
  const add = db.transaction((row: { tag: string; role: Role; digest: string; known: 0 | 1; now: number }) => {
    insert.run(row);
    forget.run({ known: row.known, max: row.known === 1 ? knownMax : refusedMax });
  });
  return {
    /** The tag of what a role is handed out: the newest one again where it is the same. */
    tagOf(role: Role, digest: string, now: number) {
      const last = newest.get(role) as { tag: string; digest: string } | undefined;
      if (last?.digest === digest) return last.tag;
      const tag = Buffer.from(random(16)).toString('hex');
      // A follower must never have a state whose tag a power cut took away here.
      db.pragma('synchronous = full');
      try {
        add.immediate({ tag, role, digest, known: 1, now });
      } finally {
        db.pragma('synchronous = normal');
      }
      return tag;
    },
    /** Whether a state was handed out here, or adopted. */
    isKnown: (tag: string) => find.get(tag) === 1,
    /** Notes one that was not, for `adopt`; whether it is the first time. */
    refuse(tag: string, role: Role, now: number) {
      const isNew = find.get(tag) === undefined;
      if (isNew) add.immediate({ tag, role, digest: '', known: 0, now });
      return isNew;
    },
    /** How many there are that are not. */
    refused: () => refused.get() as number,
    /** From now on the tags that were not known are. Gives how many they are. */
    adopt: () => adopt.run().changes,
  };
};
