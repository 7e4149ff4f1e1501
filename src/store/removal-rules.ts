/**
 * Rules of sites: each leaves hits out of all that is read (query/removal-rules/). The hits stay
 * where they are, so a rule is made and deleted at once, however many they are.
 */
import { type Database, StoreError } from './database.ts';
import { rowValues } from './row-values.ts';

/** The imports of a site that were finished at a moment. */
export interface FinishedImports {
  /** The highest id that any import had; 0 where there was none. */
  newest: number;
  /** Those that had begun: what they bring is there later. */
  unfinished: readonly number[];
}

export interface Rule {
  /** Of a rule that went, never that of another. */
  id: number;
  siteId: number;
  /** As people type them: `path^=/wp-; country=DE`. */
  filters: string;
  /** The same as a question has them, in JSON. */
  selects: string;
  /** As a file name of the API has it: `2026-10-01_2026-10-07`, or `all`. */
  period: string;
  /** It is about hits at `from <= at < to`, UTC milliseconds, that came before it was made. */
  from: number;
  to: number;
  /** And about hits that came with imports before it was made. */
  imports: FinishedImports;
  /** Name of the account that made it; null for a command. */
  madeBy: string | null;
  /** Why, as they said it; null where they did not. */
  reason: string | null;
  createdAt: number;
}

export interface Rules {
  /** Newest first. */
  ofSite(siteId: number): Rule[];
  /** Newest first, of all sites. */
  list(): Rule[];
  byId(id: number): Rule | undefined;
  /** The highest id that a rule ever had, of all sites; 0 before the first. */
  highestId(): number;
  /**
   * Makes a rule. It takes the place of one about the same days and filters. Throws StoreError
   * where the site has `rulesMax`.
   */
  add(rule: Omit<Rule, 'id' | 'imports'>): Rule;
  /** The hits are there again. False where there is no such rule of the site. */
  drop(siteId: number, id: number): boolean;
}

/** Rules of a site: each is looked for in every day that it is about. */
export const rulesMax = 50;

const columns = `id, site_id as siteId, filters, selects, period, from_at as "from", to_at as "to", imports, made_by as madeBy, reason,
  created_at as createdAt`;

const importsNow = `json_object('newest', (select coalesce(max(id), 0) from import), 'unfinished',
  json((select json_group_array(id) from import where site_id = @siteId and finished_at is null)))`;

export const rules = (db: Database): Rules => {
  const { read, one, all } = rowValues<Rule>({ imports: 'json' });
  const ofSite = db.prepare(`select ${columns} from rule where site_id = ? order by id desc`);
  const list = db.prepare(`select ${columns} from rule order by id desc`);
  const byId = db.prepare(`select ${columns} from rule where id = ?`);
  const insert = db.prepare(
    `insert into rule (site_id, filters, selects, period, from_at, to_at, imports, made_by, reason, created_at)
     values (@siteId, @filters, @selects, @period, @from, @to, ${importsNow}, @madeBy, @reason, @createdAt) returning ${columns}`,
  );
  const highestId = db.prepare("select seq from sqlite_sequence where name = 'rule'").pluck();
  const count = db.prepare('select count(*) from rule where site_id = ?').pluck();
  const dropSame = db.prepare(
    'delete from rule where site_id = @siteId and selects = @selects and period = @period and from_at = @from',
  );
  const drop = db.prepare('delete from rule where site_id = ? and id = ?');
  return {
    ofSite: siteId => all(ofSite.all(siteId)),
    list: () => all(list.all()),
    byId: id => one(byId.get(id)),
    highestId: () => (highestId.get() as number | undefined) ?? 0,
    add: db.transaction((rule: Omit<Rule, 'id' | 'imports'>): Rule => {
      dropSame.run(rule);
      if ((count.get(rule.siteId) as number) >= rulesMax)
        throw new StoreError(`The site has ${rulesMax} rules already: put the hits of one back first.`);
      return read(insert.get(rule));
    }).immediate as Rules['add'],
    drop: (siteId, id) => drop.run(siteId, id).changes > 0,
  };
};
