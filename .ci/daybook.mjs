#!/usr/bin/env node
// What `npx daybook` runs in a clone: the program that is built here, after what is missing is installed and built. The
// packages that are published run dist/daybook.js itself.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url));
const program = at('dist/daybook.js');
const broughtNode = at('node_modules/.bin/node');
const nodeToUse = () => (existsSync(broughtNode) ? broughtNode : process.execPath);

/** What it says goes to stderr: stdout is the command's. */
const runFirst = script => {
  const { status } = spawnSync(nodeToUse(), [at(script)], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
};

if (!existsSync(program) || !existsSync(at('node_modules'))) {
  runFirst('.ci/install.mjs');
  runFirst('.ci/build.mjs');
}

// npx finds the Node in node_modules/.bin by itself, but not one that was brought just now.
if (realpathSync(nodeToUse()) === realpathSync(process.execPath)) await import(program);
else {
  const child = spawn(nodeToUse(), [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}
