// Installs the packages of package-lock.json when they are missing or older than it, so that one npm command is enough on
// a clean clone. Where the machine's Node is too old for them, it first brings one from npm (.ci/node), and puts it into
// node_modules/.bin: npm's scripts and npx look there before they look elsewhere.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const nodeDir = join(root, '.ci/node');
const broughtBin = join(nodeDir, 'node_modules/.bin');

const modified = file => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const installIn = async dir => {
  if (modified(join(dir, 'node_modules/.package-lock.json')) >= modified(join(dir, 'package-lock.json'))) return;
  // Errors only: npm itself may still run on the old Node, and would warn of every package that will not.
  const child = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: dir,
    env: { ...process.env, PATH: [broughtBin, process.env.PATH].join(delimiter) },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [status] = await once(child, 'exit');
  if (status !== 0) process.exit(status ?? 1);
};

const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const oldest = Number(/\d+/.exec(engines.node)[0]);
const isTooOld = Number.parseInt(process.versions.node, 10) < oldest;
if (isTooOld && !existsSync(broughtBin))
  console.error(`Daybook needs Node ${oldest} or later, and this is ${process.version}: it brings a Node from npm.`);
// What was brought once stays in use: the Node that runs this may then not be the machine's own.
const isBrought = isTooOld || existsSync(broughtBin);
// Both at once: each waits for the registry for seconds.
await Promise.all([isBrought && installIn(nodeDir), installIn(root)]);
if (isBrought && !existsSync(join(broughtBin, 'node'))) {
  console.error(`npm has no Node for ${process.platform} on ${process.arch}: install Node ${oldest} or later.`);
  process.exit(1);
}
const link = join(root, 'node_modules/.bin/node');
if (isBrought && !existsSync(link)) symlinkSync('../../.ci/node/node_modules/.bin/node', link);
