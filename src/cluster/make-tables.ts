/** Makes the database and the tables of a cluster on all of its servers. */
import type { Shards } from '../model/shards.ts';
import { databaseOf, send, sendToShard, statementMs } from './client.ts';
import { convertRecords, createRecordTables, storedTables } from './record-tables.ts';
import { addColumns, createTables, type TableEngine } from './schema.ts';
import { text } from './sql.ts';

/** Makes what is missing. Rejects as `send` does. */
export const makeTables = async (shards: Shards): Promise<void> => {
  for (const [number, replicas] of shards.entries()) {
    for (const replica of replicas) {
      const statement = { timeoutMs: statementMs };
      const database = databaseOf(replica);
      const version = await send(replica, { ...statement, sql: 'select version()', withoutDatabase: true });
      // What is usual now was an experiment then, and what is unknown is an error.
      const settings: Record<string, number> = version.startsWith('18.')
        ? { allow_experimental_low_cardinality_type: 1 }
        : {};
      const create = `create database if not exists \`${database.replaceAll('`', '')}\``;
      await send(replica, { ...statement, sql: create, withoutDatabase: true });
      const engine: TableEngine = (family, table, versionColumn) => {
        const more = versionColumn === undefined ? [] : [versionColumn];
        if (replicas.length === 1) return `${family}(${more.join(', ')})`;
        const place = [text(`/daybook/${database}/${number + 1}/${table}`), text(replica.host)];
        return `Replicated${family}(${[...place, ...more].join(', ')})`;
      };
      for (const sql of [...createTables(engine), ...createRecordTables(engine)])
        await send(replica, { ...statement, sql, settings });
      for (const table of ['hit', 'open_hit', 'collected_hit']) {
        const there = (await send(replica, { ...statement, sql: columnsSql(table) })).split('\n');
        // The other replicas have them then, too.
        const onAll = { replication_alter_partitions_sync: 2 };
        for (const sql of addColumns(table, there)) await send(replica, { ...statement, sql, settings: onAll });
      }
    }
  }
  await convertRecords(shards[0]!);
};

const columnsSql = (table: string): string =>
  `select name from system.columns where database = currentDatabase() and table = ${text(table)}`;

/** Before a collector sends. Rejects as `send` does, and where tables are of an earlier version. */
export const refuseEarlierTables = async (shards: Shards): Promise<void> => {
  const columnsOf = async (replicas: readonly URL[], table: string): Promise<string[]> =>
    (await sendToShard(replicas, { sql: columnsSql(table), timeoutMs: statementMs })).split('\n');
  const isEarlier = async (replicas: readonly URL[]): Promise<boolean> => {
    for (const table of ['hit', 'collected_hit'])
      if (addColumns(table, await columnsOf(replicas, table)).length > 0) return true;
    for (const table of replicas === shards[0] ? storedTables : [])
      if (!(await columnsOf(replicas, table)).includes('epoch')) return true;
    return false;
  };
  for (const replicas of shards)
    if (await isEarlier(replicas))
      throw new Error(
        `The tables of ${replicas[0]!.host} are of an earlier version. Update the primary: until then hits are kept here.`,
      );
};
