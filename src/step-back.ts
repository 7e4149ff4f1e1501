/** Lets hits go first when they and other work want the same processor. */
import { getPriority, setPriority } from 'node:os';

/**
 * Gives the thread that calls it, and those that it starts later, a priority below the collector's:
 * `niceness` is from 0 to 19. Only on Linux, since elsewhere the whole process would step back.
 */
export const stepBack = (niceness: number): void => {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.max(getPriority(), niceness));
  } catch {
    // Where it is forbidden, the work is done all the same.
  }
};

/** Of work that can wait for hits and questions, such as copies and imports. */
export const waitingWork = 10;
