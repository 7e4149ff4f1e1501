/**
 * `npm run bench -- import [LINES]`: files of many hits, imported by the built program: NDJSON with
 * addresses and user agents, and Umami's table. Prints lines a second by the clock and by the time
 * of the processors, and the most memory.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chanceFrom } from '../src/cli/demo/random.ts';
import { allocatorSettings, builtProgram } from '../test/tools/build.ts';
import { hasEnded } from '../test/tools/children.ts';
import { markdownTable } from '../test/tools/results.ts';

const defaultLines = 2_000_000;
const linesAtOnce = 1000;
const days = 60;

const agents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
];

type LineOf = (at: string, visitor: number, page: number) => string;

const kinds: Record<string, { header: string; line: LineOf }> = {
  NDJSON: {
    header: '',
    line: (at, visitor, page) =>
      JSON.stringify({
        at,
        ip: `${1 + (visitor % 200)}.${(visitor >> 4) % 250}.${visitor % 250}.${(visitor * 7) % 250}`,
        ua: agents[visitor % agents.length],
        hit: { u: `https://example.com/page/${page}`, r: 'https://www.google.com/', ti: 'A page', l: 'en-US', w: 1440 },
      }),
  },
  'Umami’s table': {
    header:
      'website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,region,city,url_path,url_query,referrer_domain,page_title,event_type,event_name,created_at\n',
    line: (at, visitor, page) =>
      `w,s${visitor},v${visitor},e,example.com,chrome,Windows 10,laptop,1920x1080,en-US,DE,DE-BE,Berlin,/page/${page},,google.com,A page,1,,${at}`,
  },
};

/** Some ten hits a visitor, in the order of time. */
const writeLines = (file: string, lines: number, { header, line }: (typeof kinds)[string]): void => {
  const { below } = chanceFrom(7);
  const begin = Date.now() - (days + 1) * 86_400_000;
  const out = openSync(file, 'w');
  writeSync(out, header);
  for (let from = 0; from < lines; from += linesAtOnce) {
    let some = '';
    for (let i = from; i < Math.min(lines, from + linesAtOnce); i++) {
      const at = new Date(begin + Math.floor((days * 86_400_000 * i) / lines)).toISOString();
      some += `${line(at, Math.floor(i / 10) + below(1000), Math.floor(below(45) ** 2))}\n`;
    }
    writeSync(out, some);
  }
  closeSync(out);
};

interface Measured {
  seconds: number;
  cpuSeconds: number;
  peakMb: number;
}

const ticksPerSecond = 100;

/** Seconds of a process's threads, and the most memory; undefined once it has ended, though nobody was told yet. */
const usageOf = (pid: number): Pick<Measured, 'cpuSeconds' | 'peakMb'> | undefined => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  if (Number.isNaN(peak)) return undefined;
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond, peakMb: Math.round(peak / 1000) };
};

const measure = async (dataDir: string, file: string): Promise<Measured> => {
  execFileSync(process.execPath, [builtProgram, 'site', 'add', 'example.com', '--data', dataDir]);
  const began = Date.now();
  const args = [builtProgram, 'import', file, '--site', 'example.com', '--data', dataDir];
  const env = { ...process.env, ...allocatorSettings };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  let used = { cpuSeconds: 0, peakMb: 0 };
  const timer = setInterval(() => {
    if (!hasEnded(child)) used = usageOf(child.pid!) ?? used;
  }, 50);
  if (!hasEnded(child)) await once(child, 'exit');
  clearInterval(timer);
  if (child.exitCode !== 0) throw new Error(`import ended with ${child.exitCode}`);
  return { ...used, seconds: (Date.now() - began) / 1000 };
};

export const run = async ([given]: readonly string[]): Promise<void> => {
  const lines = Number(given ?? defaultLines);
  const folder = mkdtempSync(join(tmpdir(), 'daybook-import-'));
  const rows: string[][] = [];
  try {
    for (const [i, [name, kind]] of Object.entries(kinds).entries()) {
      const file = join(folder, `${i}.txt`);
      writeLines(file, lines, kind);
      const { seconds, cpuSeconds, peakMb } = await measure(join(folder, `data${i}`), file);
      const perSecond = (time: number): string => Math.round(lines / time).toLocaleString('en');
      rows.push([name, perSecond(seconds), perSecond(cpuSeconds), `${peakMb}`]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const headings = [`${lines.toLocaleString('en')} lines`, 'lines a second', 'per second of a core', 'peak memory, MB'];
  console.log(markdownTable(headings, rows));
};
