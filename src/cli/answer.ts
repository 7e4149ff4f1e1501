/** `daybook answer`: answers questions for a cluster until it is asked to stop. */
import type { SettingName } from '../config.ts';
import { command } from './command.ts';
import { settingFlags } from './flags.ts';
import { runServer } from './run-server.ts';

const settings: readonly SettingName[] = [
  ...(['primary', 'clusterToken', 'host', 'port', 'baseUrl', 'trustProxy', 'connectionsMax'] as const),
  ...(['queryDeadlineMs', 'queryQueueMax', 'clickhouse', 'metricsToken', 'shutdownMs'] as const),
];

export const answer = command({
  name: 'answer',
  flags: settingFlags(settings),
  summary: 'Run a server of a cluster that only answers questions',
  details:
    'The primary is daybook serve --clickhouse. daybook cluster invite, run there, makes the CLUSTER_TOKEN. This server answers the API, the CSV export and public pages from its ClickHouse. Nobody signs in to it, and it writes nothing: for that it names the primary.',
  database: 'none',
  printsAsItGoes: true,
  run: (context, { flags }) => runServer(context, flags, async () => (await import('../roles/answer.ts')).startAnswer),
});
