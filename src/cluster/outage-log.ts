/** Says in the log when something that is far away begins to fail, and when it answers again. */
import { type Log, reasonOf } from '../log.ts';

/** Is told of each error, and with null of each answer. `what` begins the events' names. */
export const outageLog = (
  log: Log,
  what: 'clickhouse' | 'primary' | 'forwarding' | 'shipping',
): ((error: unknown) => void) => {
  let isFailing = false;
  return error => {
    if (isFailing === (error !== null)) return;
    isFailing = error !== null;
    if (isFailing) log(`${what}-failed`, { reason: reasonOf(error) });
    else log(`${what}-answers`);
  };
};
