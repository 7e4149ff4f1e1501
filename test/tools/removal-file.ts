/** Files of hits as versions before 0.1.0 took them out of days. */
import Sqlite from 'better-sqlite3';
import { columnNames } from '../../src/model/columns.ts';
import type { Database } from '../../src/store/database.ts';
import { encodeColumn } from '../../src/store/day/column-codec.ts';
import { columnsOf, type Day, factsOf } from '../../src/store/day/day.ts';
import type { RemovalFacts } from '../../src/store/moved-hits/removal-file.ts';
import { textReader } from '../../src/store/texts.ts';

const schema = `
  pragma application_id = 0x44425231;
  create table removal (id integer not null, site_id integer not null, created_at integer not null) strict;
  create table part (
    id          integer primary key,
    day         integer not null,
    number      integer not null,
    parts       integer not null,
    version     integer not null,
    visits      integer not null,
    hash_visits integer not null,
    hits        integer not null,
    first_at    integer not null,
    last_at     integer not null,
    import_id   integer
  ) strict;
  create table part_column (
    part_id integer not null,
    name    text    not null,
    data    blob    not null,
    primary key (part_id, name)
  ) strict;
  create table part_text (
    part_id integer not null,
    id      integer not null,
    value   text    not null,
    primary key (part_id, id)
  ) strict, without rowid;`;

/** Writes a file with hits of days. Their texts are those of a database. */
export const writeRemovalFile = (file: string, removal: RemovalFacts, days: readonly Day[], texts: Database): void => {
  const db = new Sqlite(file);
  db.exec(schema);
  db.prepare('insert into removal (id, site_id, created_at) values (@id, @siteId, @createdAt)').run(removal);
  const insertPart = db
    .prepare(
      `insert into part (day, number, parts, version, visits, hash_visits, hits, first_at, last_at)
       values (@day, @number, @parts, @version, @visits, @hashVisits, @hits, @firstAt, @lastAt) returning id`,
    )
    .pluck();
  const insertColumn = db.prepare('insert into part_column (part_id, name, data) values (?, ?, ?)');
  const insertText = db.prepare('insert into part_text (part_id, id, value) values (?, ?, ?)');
  for (const day of days) {
    const { sealed: _, part, ...facts } = factsOf(day);
    const id = insertPart.get({ ...facts, number: part.number, parts: part.of });
    for (const [name, column] of columnsOf(day)) insertColumn.run(id, name, encodeColumn(column));
    for (const text of textsIn(texts, day)) insertText.run(id, ...text);
  }
  db.close();
};

/** The texts that a day refers to. */
const textsIn = (db: Database, { siteId, column }: Day): Map<number, string> => {
  const reader = textReader(db);
  const ids = columnNames.flatMap(name => {
    const found = name === 'screen' ? undefined : column(name);
    return found?.kind === 'text' ? [...found.dictionary] : [];
  });
  return new Map([...new Set(ids)].filter(id => id !== 0).map(id => [id, reader.text(siteId, id)!]));
};
