/** All faults but kill -9: those that docs/operations.md makes a promise about. */
import { copyFaults } from './copy-faults.ts';
import { diskFaults } from './disk-faults.ts';
import type { Fault } from './fault.ts';
import { interruptFault } from './interrupts.ts';
import { otherFaults } from './other-faults.ts';

export const faults: readonly Fault[] = [...diskFaults, ...otherFaults, ...copyFaults, interruptFault];
