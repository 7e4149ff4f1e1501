/** Something that takes input from outside, and what must hold whatever comes. */
import type { Chance } from '../../src/cli/demo/random.ts';

export interface Target {
  name: string;
  /** What its cases are, for people. */
  what: string;
  /** Of all cases, the share that it gets. */
  share: number;
  /** Cases that run at once; one where they are not asynchronous. */
  lanes: number;
  open(): Promise<Trial> | Trial;
}

export interface Trial {
  /** One case. Throws, or rejects, when something does not hold. */
  one(chance: Chance): void | Promise<void>;
  /** What must hold after all of them. */
  close(): void | Promise<void>;
}
