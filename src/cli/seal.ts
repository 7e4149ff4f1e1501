/**
 * `daybook seal`: seals finished days now. A server does so by itself; this is for data directories
 * without one.
 */
import { minuteMs, utcDayName, utcDayOf } from '../model/time.ts';
import { sealSteps } from '../store/day/seal.ts';
import { sites } from '../store/sites.ts';
import { command } from './command.ts';
import { counted, listing } from './format.ts';
import { runShown } from './long-work.ts';

/** A running server may still be writing hits of a day that ended just now. */
const graceMs = 5 * minuteMs;

export const seal = command({
  name: 'seal',
  summary: 'Seal the days that are over',
  details:
    'A day ends at midnight UTC. It stays open for five more minutes, because a server may still be writing its last hits.',
  // A collector keeps rows until ClickHouse has each of them.
  database: 'change',
  run: async context => {
    const { db, now } = context;
    const all = sites(db).list();
    const steps = sealSteps(db, utcDayOf(now() - graceMs), now());
    const facts = await runShown(context, steps, 'days that are sealed stay so, and the next seal goes on.');
    const sealed = facts.map(({ siteId, day, visits, hits }) => ({
      domain: all.find(({ id }) => id === siteId)?.domain ?? null,
      day: utcDayName(day),
      visits,
      hits,
    }));
    const { json, text } = listing(
      sealed,
      { DOMAIN: 'domain', DAY: 'day', VISITS: 'visits', HITS: 'hits' },
      'Every finished day is sealed already.',
    );
    return { json, text: sealed.length === 0 ? text : `${text}\n\nSealed ${counted(sealed.length, 'day')}.` };
  },
});
