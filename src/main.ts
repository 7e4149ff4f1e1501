#!/usr/bin/env node
/**
 * The program: hands the outside world (arguments, environment, clock, randomness, signals,
 * streams) to a command. No other file reads it.
 */
import { randomBytes } from 'node:crypto';
import { run } from './cli/run.ts';

const { stdin, stdout, stderr, env, argv, pid } = process;

/** SQLite's addon ends an older one without a word (package.json, "engines"). */
const oldestNode = 22;
if (Number.parseInt(process.versions.node, 10) < oldestNode) {
  stderr.write(`daybook: Daybook needs Node ${oldestNode} or later, and this is ${process.version}.\n`);
  process.exit(1);
}

for (const output of [stdout, stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of the output may stop reading (`| head`): then nothing is left to do.
    if (error.code === 'EPIPE') process.exit();
    // A server goes on without its log, since hits are worth more.
    if (output === stderr) return;
    stderr.write(`daybook: Standard output cannot be written: ${error.message}.\n`);
    process.exit(1);
  });
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second signal ends the process at once.
    if (stop.signal.aborted) process.exit(130);
    stop.abort(signal);
  });
}

void run({
  env,
  pid,
  args: argv.slice(2),
  now: Date.now,
  random: randomBytes,
  stdin,
  stdout,
  stderr,
  isTerminal: { stdin: stdin.isTTY === true, stdout: stdout.isTTY === true, stderr: stderr.isTTY === true },
  signal: stop.signal,
  // Only whoever listens stays when a terminal goes away.
  onHangup: listener => void process.on('SIGHUP', listener),
}).then(code => {
  // After a signal the command has ended in order; whatever is still open must not keep the
  // process.
  if (stop.signal.aborted) process.exit(code);
  process.exitCode = code;
});
