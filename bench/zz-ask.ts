import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { dayMs } from '../src/model/time.ts';
import { casesFor } from './query-cases.ts';
import { openEngine } from './query-engines.ts';

const [data = '', days = '30', only = '', rounds = '3', engine = 'daybook', competitors = ''] = process.argv.slice(2);
if (engine === 'daybook') (await import('./query-data.ts')).migrated(data);
const e = await openEngine(engine as 'daybook', { data, competitors, packages: '/tmp/daybook-bench/competitors' });
const window = { from: 20000 * dayMs, to: (20000 + Number(days)) * dayMs };
const rss = (): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024);
for (const question of casesFor(window, { country: 'BK', path: '/blog/page-5' })) {
  if (only !== '' && !only.split(';').includes(question.name)) continue;
  const times: number[] = [];
  const cpus: number[] = [];
  for (let i = 0; i <= Number(rounds); i++) {
    const t = performance.now();
    const c = process.cpuUsage();
    await e.ask(question);
    times.push(Math.round(performance.now() - t));
    const d = process.cpuUsage(c);
    cpus.push(Math.round((d.user + d.system) / 1000));
  }
  const [first, ...rest] = times;
  console.log(
    question.name.padEnd(45),
    'first',
    first,
    'min',
    Math.min(...rest),
    'med',
    rest.sort((a, b) => a - b)[rest.length >> 1],
    'cpu',
    cpus.join(),
    'rss',
    rss(),
  );
}
console.log('peak MB', process.resourceUsage().maxRSS / 1024);
await e.close();
process.exit(0);
