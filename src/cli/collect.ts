/** `daybook collect`: takes hits for a cluster until it is asked to stop. */
import type { SettingName } from '../config.ts';
import { command } from './command.ts';
import { settingFlags } from './flags.ts';
import { runServer } from './run-server.ts';

const settings: readonly SettingName[] = [
  ...(['primary', 'clusterToken', 'host', 'port', 'collectorPort', 'trustProxy', 'geoDb', 'geoAsnDb'] as const),
  ...(['connectionsMax', 'hitQueueMax', 'hitQueueBytesMax', 'senderHits', 'senderBurst', 'newTextsMax'] as const),
  ...(['clickhouse', 'keepDays', 'metricsToken', 'shutdownMs'] as const),
];

export const collect = command({
  name: 'collect',
  flags: settingFlags(settings),
  summary: 'Run a collector of a cluster, which follows its primary',
  details:
    'The primary is daybook serve --clickhouse. daybook cluster invite, run there, makes the CLUSTER_TOKEN. Sites, keys and exclusions come from there, and hits go to its ClickHouse. The data directory is the collector’s own: it holds what has not gone there yet. It goes on while the primary is away.',
  database: 'none',
  printsAsItGoes: true,
  run: (context, { flags }) =>
    runServer(context, flags, async () => (await import('../roles/collect.ts')).startCollect),
});
