/** `daybook cluster retire`: says that a collector is gone for good. */
import { readSetting } from '../config.ts';
import { minuteMs } from '../model/time.ts';
import { nodes } from '../store/nodes.ts';
import { sites } from '../store/sites.ts';
import { CommandError, command, UsageError } from './command.ts';
import { settingFlag } from './flags.ts';
import { counted } from './format.ts';
import { unlessAsked } from './long-work.ts';

/** One that sent hits since is not gone. */
const silentMs = 10 * minuteMs;

export const clusterRetire = command({
  name: 'cluster retire',
  operands: { NODE: (typed: string) => numberOf(typed) },
  flags: { clickhouse: settingFlag('clickhouse') },
  summary: 'Say that a collector is gone for good',
  details: `Its number, which /metrics and daybook doctor show, is never given again. What it brought to ClickHouse stays, and its open
days are closed there. Hits that it had not brought are lost with it, so do not retire one whose disk may come back: it would
become another collector, and forget the days that were closed.`,
  database: 'change',
  run: async (context, { operands: { NODE: number }, flags }) => {
    const { db, env, now } = context;
    const heard = <T>(work: Promise<T>): Promise<T> =>
      unlessAsked(context, work, 'run the same command again to go on.');
    const shards = readSetting('clickhouse', env, flags);
    if (shards === null) throw new UsageError('Say where ClickHouse is: --clickhouse http://127.0.0.1:8123/daybook.');
    const { closeOpenDays, newestOpenHit } = await import('../cluster/retire.ts');
    const store = nodes(db);
    const node = store.list().find(one => one.number === number);
    if (node === undefined) throw new CommandError(`There is no collector ${number}.`);
    try {
      const newest = await heard(newestOpenHit(shards, number));
      if (!node.isRetired && newest !== null && newest > now() - silentMs)
        throw new CommandError(`Collector ${number} sent hits in the last ten minutes. Stop it, and wait so long.`);
      store.retire(number);
      const days = await heard(closeOpenDays(shards, number, sites(db).list()));
      return {
        json: { node: number, closedDays: days },
        text: `Collector ${number} is gone for good. Closed ${counted(days, 'open day')} of it.`,
      };
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(`ClickHouse: ${(error as Error).message} Run the same command again to go on.`);
    }
  },
});

const numberOf = (typed: string): number => {
  if (/^[1-9]\d{0,4}$/.test(typed)) return Number(typed);
  throw new UsageError(`${JSON.stringify(typed)} is no number of a collector: write one such as 3.`);
};
