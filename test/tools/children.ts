/** Child processes: how to end them, and the memory they take. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const stopMs = 20_000;

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Asks a process to end, ends one that does not, and waits until it has; one that has ended already is left alone. */
export const endChild = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await ended;
  clearTimeout(timer);
};

/** The kernel's figures for a process and all its threads, in bytes: now, and the most since it started. */
export interface ProcessMemory {
  resident: number;
  peak: number;
}

export const memoryOf = ({ pid }: ChildProcess): ProcessMemory => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)![1]) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
};

/** Processor time of a process since it started, all its threads together. The kernel counts in hundredths of a second. */
export const processorSecondsOf = ({ pid }: ChildProcess): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
