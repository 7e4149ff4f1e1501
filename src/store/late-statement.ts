/**
 * Statements that SQLite prepares when they are first used. A server has 1,500 of them and uses
 * few: preparing all takes a quarter of its start.
 */
import type Sqlite from 'better-sqlite3';

type Statement = Sqlite.Statement<unknown[]>;
type Mode = 'pluck' | 'raw' | 'safeIntegers';

/** What better-sqlite3's statement has, as far as it is used here. */
class LateStatement implements Pick<Statement, Mode | 'run' | 'get' | 'all' | 'iterate'> {
  readonly #prepare: () => Statement;
  readonly #modes: Mode[] = [];
  #prepared: Statement | undefined;

  constructor(prepare: () => Statement) {
    this.#prepare = prepare;
  }

  pluck() {
    return this.#in('pluck');
  }

  raw() {
    return this.#in('raw');
  }

  safeIntegers() {
    return this.#in('safeIntegers');
  }

  run(...values: unknown[]) {
    return this.#statement().run(...values);
  }

  get(...values: unknown[]) {
    return this.#statement().get(...values);
  }

  all(...values: unknown[]) {
    return this.#statement().all(...values);
  }

  iterate(...values: unknown[]) {
    return this.#statement().iterate(...values);
  }

  #in(mode: Mode) {
    this.#prepared?.[mode]();
    this.#modes.push(mode);
    return this as unknown as Statement;
  }

  #statement(): Statement {
    if (this.#prepared === undefined) {
      this.#prepared = this.#prepare();
      for (const mode of this.#modes) this.#prepared[mode]();
    }
    return this.#prepared;
  }
}

/** Lets a connection prepare statements late: what is wrong in one is thrown at its first use. */
export const prepareLate = (db: Sqlite.Database): void => {
  const prepare = db.prepare.bind(db);
  const late = (sql: string) => new LateStatement(() => prepare(sql) as Statement);
  db.prepare = late as unknown as typeof db.prepare;
};
