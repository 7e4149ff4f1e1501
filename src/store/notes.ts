/** Notes on days of sites (model/notes.ts). */
import { type Note, type NoteKind, notesMax, wallClock } from '../model/notes.ts';
import type { Site } from '../model/site.ts';
import type { Database } from './database.ts';

export interface Notes {
  /** By day, and on a day in the order in which they were made. */
  list(siteId: number): Note[];
  /** Undefined where the site has as many as it may have. */
  add(siteId: number, kind: NoteKind, date: string, text: string, now: number): Note | undefined;
  /** Changes what somebody wrote. Undefined where they wrote no such note. */
  change(siteId: number, id: number, date: string, text: string): Note | undefined;
  /** Returns false where there is no such note. */
  remove(siteId: number, id: number): boolean;
}

const selected = 'id, date, kind, text, created_at as createdAt';

export const notes = (db: Database): Notes => {
  const all = db.prepare(`select ${selected} from note where site_id = ? order by date, id`);
  const count = db.prepare('select count(*) from note where site_id = ?').pluck();
  const insert = db.prepare(
    `insert into note (site_id, kind, date, text, created_at) values (?, ?, ?, ?, ?) returning ${selected}`,
  );
  const update = db.prepare(
    `update note set date = ?, text = ? where site_id = ? and id = ? and kind = 'person' returning ${selected}`,
  );
  const remove = db.prepare('delete from note where site_id = ? and id = ?');
  return {
    list: siteId => all.all(siteId) as Note[],
    add: db.transaction((siteId, kind, date, text, now) =>
      (count.get(siteId) as number) >= notesMax ? undefined : insert.get(siteId, kind, date, text, now),
    ) as Notes['add'],
    change: (siteId, id, date, text) => update.get(date, text, siteId, id) as Note | undefined,
    remove: (siteId, id) => remove.run(siteId, id).changes > 0,
  };
};

/** Notes that a site has another time zone now: days before and after it are cut differently. */
export const noteZone = ({ add }: Pick<Notes, 'add'>, before: Site, after: Site, now: number): void => {
  if (before.timezone === after.timezone) return;
  add(after.id, 'zone', wallClock(now, after.timezone).slice(0, 10), `${before.timezone} → ${after.timezone}`, now);
};

/** Notes on all sites that existed then that the server was down from `from` to `to`. */
export const noteOutage = ({ add }: Pick<Notes, 'add'>, sites: readonly Site[], from: number, to: number): void => {
  for (const { id, timezone, createdAt } of sites) {
    if (createdAt > from) continue;
    const [down, up] = [wallClock(from, timezone), wallClock(to, timezone)];
    const isOneDay = down.slice(0, 10) === up.slice(0, 10);
    add(id, 'outage', down.slice(0, 10), isOneDay ? `${down.slice(11)} – ${up.slice(11)}` : `${down} – ${up}`, to);
  }
};
