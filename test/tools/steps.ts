/** Counts the work of a piece of code without a clock, which shared machines make useless. */
import { Session } from 'node:inspector/promises';
import { lazy } from '../../src/model/remember.ts';

const session = lazy(async () => {
  const opened = new Session();
  opened.connect();
  await opened.post('Profiler.enable');
  await opened.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return opened;
});

/**
 * How many blocks of our own code ran while `work` did, loops and callbacks included, as the engine
 * counts them for coverage. What its own functions do inside is not counted.
 */
export const stepsOf = async (work: () => unknown): Promise<number> => {
  const profiler = await session();
  await profiler.post('Profiler.takePreciseCoverage');
  work();
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
    .reduce((sum, count) => sum + count, 0);
};
