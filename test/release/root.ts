/** A bare Debian in a directory: nothing but its smallest base. It needs root and debootstrap. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onceListening } from './serving.ts';

export interface Root {
  dir: string;
  /** Runs a shell command in it, as root, and gives what it printed. Throws when it fails. */
  run(command: string): string;
  /** Starts a server by a shell command that ends in `exec`. */
  serve(command: string, env?: Record<string, string>): ReturnType<typeof onceListening>;
  remove(): void;
}

const suite = 'bookworm';
/** What a machine that was just installed has in its environment. */
const bareEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' };

/** Makes the base once; each root is a copy of it. */
export const makeBase = (dir: string): void => {
  if (existsSync(join(dir, 'etc/debian_version'))) return;
  execFileSync('debootstrap', ['--variant=minbase', suite, dir], { stdio: 'ignore' });
};

/** Unpacks a base for another processor, for its libraries: nothing of it can be run here by itself. */
export const unpackBase = (dir: string, processor: string): void => {
  if (existsSync(join(dir, 'lib/ld-linux-aarch64.so.1'))) return;
  execFileSync('debootstrap', ['--foreign', `--arch=${processor}`, '--variant=minbase', suite, dir], {
    stdio: 'ignore',
  });
};

/** A directory of this machine, in which commands run as they are. */
export const here = (): Root => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-here-'));
  const options = { cwd: dir, env: { ...process.env, ...bareEnv } };
  return {
    dir,
    run: command => execFileSync('sh', ['-ec', command], { ...options, encoding: 'utf8' }),
    serve: command => onceListening(spawn('sh', ['-ec', command], { ...options, env: { ...options.env, PORT: '0' } })),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
};

export const copyOf = (base: string): Root => {
  const dir = join(mkdtempSync(join(tmpdir(), 'daybook-root-')), 'root');
  execFileSync('cp', ['-a', '--reflink=auto', base, dir]);
  execFileSync('mount', ['-t', 'proc', 'proc', join(dir, 'proc')]);
  execFileSync('cp', ['/etc/resolv.conf', join(dir, 'etc/resolv.conf')]);
  // No service starts: there is no init.
  writeFileSync(join(dir, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  mkdirSync(join(dir, 'srv'), { recursive: true });
  const within = (command: string): string[] => [dir, 'sh', '-ec', command];
  return {
    dir,
    run: command => execFileSync('chroot', within(command), { encoding: 'utf8', env: bareEnv }),
    serve: (command, env = {}) =>
      onceListening(spawn('chroot', within(command), { env: { ...bareEnv, PORT: '0', ...env } })),
    remove() {
      execFileSync('umount', [join(dir, 'proc')]);
      rmSync(join(dir, '..'), { recursive: true, force: true });
    },
  };
};
