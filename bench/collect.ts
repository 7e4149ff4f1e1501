/**
 * How many hits a second Daybook takes, with every one of them committed and synced before it is answered, beside what
 * bare `node:http` does with the same requests. Both run as fresh processes, take turns, and are driven by wrk over 64
 * connections.
 *
 *     npm run bench -- collect [--rounds 5] [--seconds 8] [--connections 64]
 *
 * Daybook is the built program with its defaults, with city look-ups and one site. At the end the hits it stored are
 * counted: there must be at least as many as were acknowledged.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/package-root.ts';
import { type Database, openReader } from '../src/store/database.ts';
import { addressMark, makeTraffic } from './collect-traffic.ts';

/** Different requests; each time round they come from other addresses, so that there are always new visitors. */
const requestsMade = 50_000;
const seed = 20_261_120;

export const run = async (): Promise<void> => {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '8' },
      connections: { type: 'string', default: '64' },
    },
  });
  const rounds = Number(values.rounds);
  const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  execFileSync(process.execPath, ['.ci/build.mjs'], { cwd: packageRoot, stdio: 'inherit' });
  const daybook = join(packageRoot, 'dist', 'daybook.js');
  const dataDir = join(dir, 'data');
  const added = execFileSync(process.execPath, [
    daybook,
    'site',
    'add',
    'www.example.com',
    '--json',
    '--data',
    dataDir,
  ]);
  const { publicKey } = JSON.parse(added.toString()) as { publicKey: string };

  const { requests, visits } = makeTraffic(requestsMade, publicKey, seed);
  const traffic = join(dir, 'traffic');
  writeFileSync(traffic, requests.join('\0'));
  const script = join(dir, 'load.lua');
  writeFileSync(script, loadScript);

  const servers: Server[] = [];
  try {
    servers.push(
      await startServer('bare node:http', ['--import', 'tsx', join(packageRoot, 'bench', 'collect-bare.ts')]),
    );
    servers.push(await startServer('Daybook', [daybook, 'serve', '--data', dataDir, '--port', '0']));
    printMachine(dataDir);
    console.log(
      `traffic      ${requestsMade} requests, ${(requestsMade / visits).toFixed(1)} hits a visit, again and again from other addresses`,
    );
    console.log(`load         wrk, ${values.connections} connections, ${rounds} rounds of ${values.seconds} s each\n`);

    // One round that does not count warms both up.
    for (let round = 0; round <= rounds; round++) {
      for (const server of servers) {
        const load = await drive(server, {
          script,
          traffic,
          round,
          seconds: values.seconds,
          connections: values.connections,
        });
        server.acknowledged += load.answered;
        if (round > 0) server.loads.push(load);
      }
    }
    for (const server of servers) printServer(server);
    const [bare, own] = servers as [Server, Server];
    console.log(
      `\nratio        ${(median(own.loads, load => load.perSecond) / median(bare.loads, load => load.perSecond)).toFixed(3)}`,
    );
    await stop(own.process);
    checkStored(dataDir, own.acknowledged);
  } finally {
    for (const { process } of servers) await stop(process);
    rmSync(dir, { recursive: true, force: true });
  }
};

interface Load {
  /** Requests answered with 2xx. */
  answered: number;
  perSecond: number;
  /**
   * Microseconds that the server's main thread worked for each request: what is left to compare when others use the
   * machine too.
   */
  mainThreadUs: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

interface Server {
  name: string;
  process: ChildProcess;
  url: string;
  loads: Load[];
  acknowledged: number;
}

/** Starts a server that says where it listens in its first line. */
const startServer = async (name: string, args: string[]): Promise<Server> => {
  const child = spawn(process.execPath, args, { cwd: packageRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { name, process: child, url: /http:\S+/.exec(line)![0], loads: [], acknowledged: 0 };
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
};

/** Sends the requests in their order, from the start, with an address of its own for each time round. */
const loadScript = `
local parts, at, round = {}, 0, 0

function init(args)
  local file = io.open(args[1], "rb")
  local text = file:read("*a")
  file:close()
  round = tonumber(args[2])
  local from = 1
  while true do
    local stop = text:find("\\0", from, true)
    local one = text:sub(from, (stop or 0) - 1)
    local mark = one:find("${addressMark}", 1, true)
    parts[#parts + 1] = one:sub(1, mark - 1)
    parts[#parts + 1] = one:sub(mark + 1)
    if not stop then break end
    from = stop + 1
  end
end

function request()
  local head, tail = parts[at + 1], parts[at + 2]
  at = at + 2
  if at == #parts then
    at = 0
    round = round + 1
  end
  return head .. (1 + (round % 250)) .. tail
end

function done(summary, latency)
  print(string.format("RESULT %d %d %d %d %d %d", summary.requests, summary.errors.status, summary.duration,
    latency:percentile(50), latency:percentile(99), summary.errors.connect + summary.errors.read + summary.errors.timeout))
end
`;

interface DriveOptions {
  script: string;
  traffic: string;
  round: number;
  seconds: string;
  connections: string;
}

const drive = async (server: Server, options: DriveOptions): Promise<Load> => {
  const { script, traffic, round, seconds, connections } = options;
  const { url } = server;
  // Each round begins where the one before cannot have come to.
  const firstAddress = String(round * 25);
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url, '--', traffic, firstAddress];
  const workedBefore = mainThreadMs(server);
  const wrk = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  wrk.stdout.on('data', chunk => {
    output += chunk;
  });
  await once(wrk, 'exit');
  const result = /RESULT (.*)/.exec(output)?.[1]?.split(' ').map(Number);
  if (result === undefined) throw new Error(`wrk did not say how it went:\n${output}`);
  const [requests = 0, refused = 0, durationUs = 0, p50Us = 0, p99Us = 0, failed = 0] = result;
  if (refused + failed > 0) console.log(`${url}: ${refused} requests refused, ${failed} failed`);
  return {
    answered: requests - refused,
    perSecond: (requests / durationUs) * 1e6,
    mainThreadUs: ((mainThreadMs(server) - workedBefore) / requests) * 1000,
    p50: p50Us / 1000,
    p99: p99Us / 1000,
  };
};

/**
 * Milliseconds that a process's main thread has worked since it started. The kernel counts them in hundredths of a
 * second.
 */
const mainThreadMs = ({ process: { pid } }: Server): number => {
  const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

const median = (loads: Load[], of: (load: Load) => number): number => {
  const values = loads.map(of).sort((a, b) => a - b);
  return values[values.length >> 1]!;
};

const printMachine = (dataDir: string): void => {
  const db = openReader(dataDir);
  const pragma = (name: string): unknown => db.pragma(name, { simple: true });
  const [{ sqlite } = { sqlite: '' }] = db.prepare('select sqlite_version() as sqlite').all() as { sqlite: string }[];
  console.log(`machine      ${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`);
  console.log(`versions     Node ${process.versions.node}, SQLite ${sqlite}`);
  console.log(
    `database     journal_mode ${pragma('journal_mode')}, page_size ${pragma('page_size')}, every batch synced by fdatasync`,
  );
  db.close();
};

const printServer = ({ name, process, loads }: Server): void => {
  const status = readFileSync(`/proc/${process.pid}/status`, 'utf8');
  const mebibytes = (field: string): string =>
    (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024).toFixed(0);
  console.log(
    `${name.padEnd(15)} ${median(loads, load => load.perSecond)
      .toFixed(0)
      .padStart(7)} requests/s` +
      `   p50 ${median(loads, load => load.p50).toFixed(2)} ms   p99 ${median(loads, load => load.p99).toFixed(2)} ms` +
      `   ${median(loads, load => load.mainThreadUs).toFixed(1)} µs/request` +
      `   RSS ${mebibytes('VmRSS')} MiB, at most ${mebibytes('VmHWM')} MiB` +
      `   (${loads.map(load => load.perSecond.toFixed(0)).join(', ')})`,
  );
};

const checkStored = (dataDir: string, acknowledged: number): void => {
  const db: Database = openReader(dataDir);
  const count = (sql: string): number => db.prepare(sql).pluck().get() as number;
  const hits = count('select count(*) from hit');
  const visits = count('select count(*) from visit');
  const recorded = count(`select coalesce(sum(hits), 0) from outcome where outcome = 'recorded'`);
  db.close();
  console.log(`stored       ${hits} hits of ${visits} visits; ${acknowledged} were acknowledged`);
  if (hits < acknowledged || hits !== recorded)
    throw new Error(`${recorded} counted, ${hits} stored, ${acknowledged} acknowledged`);
};
