/** Answers queries on a follower: all from ClickHouse, wherever the primary says it is. */
import { type Shards, writeShards } from '../model/shards.ts';
import { QueryUnsupported } from '../query/errors.ts';
import type { Query } from '../query/query.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import { clusterStore } from '../store/cluster.ts';
import type { Database } from '../store/database.ts';
import { sumImports } from '../store/imports/imports.ts';
import { clickHouseEngine } from './clickhouse-engine.ts';

export interface FollowedEngineParts {
  db: Database;
  /** Where ClickHouse is now. */
  shards: () => Shards;
  deadlineMs: number;
}

export const followedEngine = ({ db, shards, deadlineMs }: FollowedEngineParts): QueryEngine => {
  const imports = sumImports(db);
  const id = clusterStore(db);
  let engine: { address: string; ask: QueryEngine } | undefined;
  const current = (): QueryEngine => {
    const now = shards();
    const address = writeShards(now);
    if (engine?.address !== address) engine = { address, ask: clickHouseEngine(now, deadlineMs, { cluster: id.id() }) };
    return engine.ask;
  };
  /** The primary alone has what other products counted. */
  const needsSums = ({ siteId, slices }: Query): boolean =>
    imports(siteId).some(({ firstAt, lastAt }) => slices.some(({ from, to }) => from <= lastAt && firstAt < to));
  return {
    async run(query, asker, signal) {
      if (needsSums(query)) throw new QueryUnsupported('questions about days that another product counted');
      return current().run(query, asker, signal);
    },
  };
};
