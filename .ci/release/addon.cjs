/**
 * SQLite's addon in the single executable, in the place of better-sqlite3's binding.js. The system loads
 * code from a file alone, so the addon is written to one that has no name any more when it is loaded:
 * nobody else can open it, and nothing is left behind. Threads load that very file, since two copies
 * of SQLite in one process would drop each other's locks.
 */
const { randomBytes } = require('node:crypto');
const { closeSync, openSync, unlinkSync, writeSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { getEnvironmentData, setEnvironmentData } = require('node:worker_threads');
const { readShipped } = require('../../src/package-root.ts');

const key = 'daybook-addon';

const load = fd => {
  const addon = { exports: {} };
  process.dlopen(addon, `/proc/self/fd/${fd}`);
  return addon.exports;
};

/** The file, open, and without a name. */
const write = dir => {
  const file = join(dir, `.daybook-${randomBytes(12).toString('hex')}`);
  const fd = openSync(file, 'wx+', 0o700);
  unlinkSync(file);
  const bytes = readShipped('better_sqlite3.node');
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return fd;
};

const find = () => {
  const written = getEnvironmentData(key);
  if (written !== undefined) return load(written);
  const reasons = [];
  for (const dir of [tmpdir(), '/dev/shm', '/var/tmp', process.cwd()]) {
    let fd;
    try {
      fd = write(dir);
      const addon = load(fd);
      setEnvironmentData(key, fd);
      return addon;
    } catch (error) {
      // It cannot be written, or lies on a file system of which nothing may be run.
      if (fd !== undefined) closeSync(fd);
      reasons.push(`${dir}: ${error.message}`);
    }
  }
  throw new Error(
    `SQLite cannot be loaded. Set TMPDIR to a directory that can be written and run from. ${reasons.join('; ')}`,
  );
};

let addon;
/** The addon of this thread. */
exports.getBinding = () => {
  addon ??= find();
  return addon;
};
