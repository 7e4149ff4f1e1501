/**
 * Fills the competitors' databases from a plan, sorted by day and visitor, which is the order that
 * suits them best. A process of its own, so that nothing of it is left when they are asked:
 * `query-import.ts DIR PACKAGES PLAN`.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TrafficPlan } from './generate.ts';
import { competitorPlaces, openChdb, openDuckDbFile } from './query-engines.ts';
import { competitorColumns, writeCompetitorRows } from './query-rows.ts';

const [dir = '', packages = '', plan = ''] = process.argv.slice(2);
const { clickhouse, duckdb } = competitorPlaces(dir);
const rows = join(dir, 'rows');
const parquet = join(dir, 'hits.parquet');
writeCompetitorRows(rows, JSON.parse(plan) as TrafficPlan);

const columns = competitorColumns.map(([name, type]) => `${name} ${type}`).join(', ');
const session = openChdb(clickhouse, packages);
session.query(`create table hits (${columns}) engine = MergeTree order by (day, visitor, instant)`);
session.query(`insert into hits select * from file('${join(rows, '*.bin')}', 'RowBinary', '${columns}')`);
session.query('optimize table hits final');
session.query(`insert into function file('${parquet}', 'Parquet') select * from hits order by day, visitor, instant`);
session.close();
rmSync(rows, { recursive: true });

const { connection, close } = await openDuckDbFile(duckdb, packages);
await connection.runAndReadAll(`create table hits as select * from read_parquet('${parquet}')`);
close();
rmSync(parquet);
process.exit(0);
