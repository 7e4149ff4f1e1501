/** Small file systems of their own that can be filled, frozen and broken. They need root, and a Linux that lets it mount. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();

export interface Disk {
  /** Where it is mounted. */
  dir: string;
  /** Takes all free space but some. */
  fill(leaveBytes: number): void;
  /** Gives the space back. */
  free(): void;
  /** Writes hang from now on, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** The kernel gives the file system up and makes it read-only, as after an error of the device. */
  breakDown(): void;
  /** After a break: repaired and mounted anew. Nothing may use it. */
  repair(): void;
  remove(): void;
}

/** A file system of its own in a file under `dir`. */
export const makeDisk = (dir: string, bytes: number): Disk => {
  const image = join(dir, 'disk.img');
  const mounted = join(dir, 'disk');
  const filler = join(mounted, 'filler');
  mkdirSync(mounted, { recursive: true });
  writeFileSync(image, '');
  truncateSync(image, bytes);
  run('mkfs.ext4', '-q', '-m', '0', image);
  const mount = (): void => void run('mount', '-o', 'loop,errors=remount-ro', image, mounted);
  const unmount = (): void => void run('umount', mounted);
  const device = (): string => {
    const row = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find(line => line.split(' ')[1] === mounted);
    return row!.split(' ')[0]!;
  };
  mount();
  return {
    dir: mounted,
    fill(leaveBytes) {
      const [, , , available] = run('df', '-B1', mounted).trim().split('\n').at(-1)!.split(/\s+/);
      const descriptor = openSync(filler, 'w');
      const zeros = Buffer.alloc(64 * 1024);
      for (let left = Number(available) - leaveBytes; left > 0; left -= zeros.length) {
        try {
          writeSync(descriptor, zeros);
        } catch {
          break; // It is full sooner, since the file system keeps some for itself.
        }
      }
      closeSync(descriptor);
    },
    free: () => rmSync(filler, { force: true }),
    freeze: () => void run('fsfreeze', '--freeze', mounted),
    thaw: () => void run('fsfreeze', '--unfreeze', mounted),
    breakDown: () => writeFileSync(`/sys/fs/ext4/${basename(device())}/trigger_fs_error`, '1'),
    repair() {
      unmount();
      try {
        run('fsck.ext4', '-y', image);
      } catch {
        // It says by its exit code that there was something to repair.
      }
      mount();
    },
    remove() {
      unmount();
      rmSync(image);
    },
  };
};

/** Makes a directory read-only by mounting it over itself; gives what makes it writable again. */
export const makeReadOnly = (dir: string): (() => void) => {
  run('mount', '--bind', dir, dir);
  run('mount', '-o', 'remount,bind,ro', dir);
  return () => void run('umount', dir);
};

export const canMount = (): boolean => process.getuid?.() === 0;
