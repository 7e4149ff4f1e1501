/** ClickHouse on loopback: servers of Debian, with its ZooKeeper where shards have replicas; or chdb, a newer one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { send, statementMs } from '../../src/cluster/client.ts';
import type { Shards } from '../../src/model/shards.ts';
import { packageRoot } from '../../src/package-root.ts';
import { endChild, hasEnded } from '../tools/children.ts';

export interface Servers {
  /** As `--clickhouse` takes them. */
  address: string;
  /** In the order of the address; ZooKeeper comes last, where there is one. */
  programs: ServerProgram[];
  close(): Promise<void>;
}

/** A program that can be killed and started again in its place. */
export interface ServerProgram {
  /** Such as 0-1 for the second replica of the first shard, and zookeeper. */
  name: string;
  process(): ChildProcess;
  /** Starts it where it has ended; does not wait until it answers. */
  start(): void;
}

/** Waits until each replica has what another one was sent: a question may be asked of any. */
export const syncReplicas = async (shards: Shards, tables: readonly string[]): Promise<void> => {
  for (const replicas of shards)
    for (const replica of replicas.length > 1 ? replicas : [])
      for (const table of tables) await send(replica, { sql: `system sync replica ${table}`, timeoutMs: statementMs });
};

/** The id of clusters that no primary made. */
export const testCluster = '0123456789abcdef'.repeat(2);
/** Open ones, too, are shipped as if they were over. */
export const wholeDays = { openFrom: Number.POSITIVE_INFINITY, takesAway: true };

const program = '/usr/sbin/clickhouse-server';
const zooKeeper = '/usr/share/java/zookeeper.jar';
export const hasClickHouse = (): boolean => existsSync(program);
export const hasZooKeeper = (): boolean => existsSync(zooKeeper);

const startMs = 60_000;

/** `host` is the address of this machine that servers without replicas listen on. */
export const startServers = async (
  dir: string,
  shards: number,
  replicas: number,
  host = '127.0.0.1',
): Promise<Servers> => {
  const programs: ServerProgram[] = [];
  const close = async (): Promise<void> => {
    // Servers that wait for ZooKeeper do not end.
    for (const program of programs) await endChild(program.process());
  };
  try {
    const keeper = replicas > 1 ? await startZooKeeper(join(dir, 'zookeeper')) : null;
    if (keeper !== null) programs.push(keeper.program);
    const addresses: string[][] = [];
    for (let shard = 0; shard < shards; shard++) {
      addresses.push([]);
      for (let replica = 0; replica < replicas; replica++) {
        const server = await startServer(join(dir, `${shard}-${replica}`), keeper?.port ?? null, host);
        programs.splice(keeper === null ? programs.length : -1, 0, server.program);
        await server.answers();
        addresses[shard]!.push(server.address);
      }
    }
    return { address: addresses.map(of => of.join(',')).join(';'), programs, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** chdb behind HTTP, one process a shard; `packages` is where it is installed. */
export const startChdb = async (dir: string, packages: string, shards: number): Promise<Servers> => {
  const programs: ServerProgram[] = [];
  const addresses: string[] = [];
  const script = join(packageRoot, 'test/cluster/chdb-server.mjs');
  for (let shard = 0; shard < shards; shard++) {
    const [port] = await freePorts(1);
    const place = join(dir, `chdb-${shard}`);
    mkdirSync(place, { recursive: true });
    const program = programOf(place, process.execPath, [script, `${port}`, place, packages]);
    programs.push(program);
    await answers(program, `127.0.0.1:${port}`, 'select 1');
    addresses.push(`http://127.0.0.1:${port}/daybook`);
  }
  const close = async (): Promise<void> => {
    await Promise.all(programs.map(program => endChild(program.process())));
  };
  return { address: addresses.join(';'), programs, close };
};

const programOf = (dir: string, command: string, args: string[]): ServerProgram => {
  const log = openSync(join(dir, 'out.log'), 'a');
  const begin = (): ChildProcess => spawn(command, args, { cwd: dir, stdio: ['ignore', log, log] });
  let child = begin();
  return {
    name: basename(dir),
    process: () => child,
    start() {
      if (hasEnded(child)) child = begin();
    },
  };
};

export const freePorts = async (count: number): Promise<number[]> => {
  const listeners = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(listeners.map(one => once(one, 'listening')));
  const ports = listeners.map(one => (one.address() as { port: number }).port);
  await Promise.all(listeners.map(one => new Promise(resolve => one.close(resolve))));
  return ports;
};

/** Waits until a server answers a statement. */
const answers = async (program: ServerProgram, at: string, sql: string): Promise<void> => {
  const until = performance.now() + startMs;
  while (true) {
    const status = await fetch(`http://${at}/`, { method: 'POST', body: sql }).then(
      answer => answer.status,
      () => 0,
    );
    if (status === 200) return;
    if (hasEnded(program.process()) || performance.now() > until) throw new Error(`A server at ${at} did not start.`);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
};

const startZooKeeper = async (dir: string): Promise<{ port: number; program: ServerProgram }> => {
  mkdirSync(join(dir, 'data'), { recursive: true });
  const [port] = await freePorts(1);
  const settings = ['tickTime=2000', `dataDir=${dir}/data`, `clientPort=${port}`, 'clientPortAddress=127.0.0.1'];
  writeFileSync(join(dir, 'zoo.cfg'), `${settings.join('\n')}\nmaxClientCnxns=0\n`);
  const flags = ['-Xmx96m', '-Dzookeeper.admin.enableServer=false', '-Dzookeeper.root.logger=WARN,CONSOLE'];
  const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
  return { port: port!, program: programOf(dir, 'java', [...flags, '-cp', zooKeeper, main, join(dir, 'zoo.cfg')]) };
};

interface StartedServer {
  address: string;
  program: ServerProgram;
  answers(): Promise<void>;
}

const startServer = async (dir: string, keeper: number | null, host: string): Promise<StartedServer> => {
  const [http, tcp, inter] = (await freePorts(3)) as [number, number, number];
  const [command, ...args] = writeServer(dir, { http, tcp, inter, keeper, host });
  const started = programOf(dir, command, args);
  // ZooKeeper listens before it serves.
  const sql = keeper === null ? 'select 1' : `select count() from system.zookeeper where path = '/'`;
  return {
    address: `http://${host}:${http}/daybook`,
    program: started,
    answers: () => answers(started, `${host}:${http}`, sql),
  };
};

/** Makes the directory of a server; gives the program that is one, and its arguments. */
export const writeServer = (dir: string, ports: Ports): [program: string, ...args: string[]] => {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'config.xml'), configOf(dir, ports));
  writeFileSync(join(dir, 'users.xml'), users);
  return [program, `--config-file=${join(dir, 'config.xml')}`];
};

interface Ports {
  http: number;
  tcp: number;
  inter: number;
  keeper: number | null;
  host: string;
}

const configOf = (dir: string, { http, tcp, inter, keeper, host }: Ports): string => `<yandex>
  <logger><level>warning</level><log>${dir}/server.log</log><errorlog>${dir}/error.log</errorlog></logger>
  <http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>
  <interserver_http_port>${inter}</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>
  <listen_host>${host}</listen_host>
  <path>${dir}/data/</path><tmp_path>${dir}/tmp/</tmp_path>
  <users_config>users.xml</users_config><default_profile>default</default_profile>
  <default_database>default</default_database><timezone>UTC</timezone><mark_cache_size>268435456</mark_cache_size>
  ${keeper === null ? '' : `<zookeeper><node><host>127.0.0.1</host><port>${keeper}</port></node></zookeeper>`}
</yandex>
`;

const users = `<yandex>
  <profiles><default><max_memory_usage>4000000000</max_memory_usage><max_threads>1</max_threads></default></profiles>
  <quotas><default></default></quotas>
  <users><default><password></password><networks><ip>127.0.0.1</ip><ip>10.0.0.0/8</ip></networks><profile>default</profile><quota>default</quota></default></users>
</yandex>
`;
