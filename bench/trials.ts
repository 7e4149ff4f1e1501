/** Starts trials: processes in which one engine is asked, and the programs that make their data. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lazy } from '../src/model/remember.ts';
import { packageRoot } from '../src/package-root.ts';
import { allocatorSettings, bundled } from '../test/tools/build.ts';
import { hasEnded } from '../test/tools/children.ts';
import type { TrafficPlan } from './generate.ts';
import { benchHome, kept, planName } from './query-data.ts';
import { competitorPackages } from './query-engines.ts';
import type { TrialEnd, TrialResult, TrialSettings } from './query-trial.ts';

/** Pages of a shop with very many products. */
export const millionPages = 1_000_000;

const installMs = 300_000;
const importMs = 3_600_000;
const trialMs = 900_000;

export interface Trial extends TrialEnd {
  results: TrialResult[];
}

/** Built once for all trials. */
const trialProgram = lazy(() => bundled('bench/query-trial.ts'));

/** Throws when the process ends badly, or has not ended after a time. */
export const runTrial = async (settings: TrialSettings): Promise<Trial> => {
  const child = spawn(process.execPath, [trialProgram(), JSON.stringify(settings)], {
    cwd: packageRoot,
    // Daybook as it is started; competitors know their own allocator best.
    env: { ...process.env, ...(settings.engine === 'daybook' && allocatorSettings) },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: trialMs,
    killSignal: 'SIGKILL',
  });
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    process.stderr.write('.');
    lines.push(line);
  }
  if (!hasEnded(child)) await once(child, 'exit');
  if (child.killed) {
    const last = lines.length === 0 ? 'the first' : `the one after ${JSON.parse(lines.at(-1)!).name}`;
    throw new Error(`${settings.engine} was ended after ${trialMs / 1000} s, at ${last} of its questions.`);
  }
  if (child.exitCode !== 0) throw new Error(`${settings.engine} ended with ${child.exitCode ?? child.signalCode}.`);
  const end = JSON.parse(lines.pop()!) as TrialEnd;
  return { ...end, results: lines.map(line => JSON.parse(line) as TrialResult) };
};

/** Installs the competitors' packages, which the benchmarks alone use, and returns where. */
export const installedCompetitors = (): string => {
  const dir = join(benchHome, 'competitors');
  if (competitorPackages.every(name => existsSync(join(dir, 'node_modules', name)))) return dir;
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), '{"private":true}');
  const args = ['install', '--no-audit', '--no-fund', ...competitorPackages];
  execFileSync('npm', args, { cwd: dir, stdio: 'inherit', timeout: installMs });
  return dir;
};

/** Folder of the competitors' databases with the plan's hits; made unless it is there. */
export const competitorData = (plan: TrafficPlan, packages: string): string =>
  kept(`competitors-${planName(plan)}`, ['bench/query-rows.ts', 'bench/query-import.ts'], dir => {
    const program = join(packageRoot, 'bench', 'query-import.ts');
    execFileSync(process.execPath, ['--import', 'tsx', program, dir, packages, JSON.stringify(plan)], {
      cwd: packageRoot,
      stdio: 'inherit',
      timeout: importMs,
    });
  });
