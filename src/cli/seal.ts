/** `daybook seal`: seals finished days now. A server does so by itself; this is for data directories without one. */
import { minuteMs, utcDayName, utcDayOf } from '../model/time.ts';
import { sealSteps } from '../store/day/seal.ts';
import { sites } from '../store/sites.ts';
import { command, jsonFlag } from './command.ts';
import { withExistingDatabase } from './open.ts';
import { counted, print, table } from './print.ts';
import { runSteps } from './steps.ts';

/** A running server may still be writing hits of a day that ended just now. */
const graceMs = 5 * minuteMs;

export const seal = command({
  name: 'seal',
  operands: [],
  flags: jsonFlag,
  summary: 'Seal the days that are over',
  details:
    'A day is over at midnight UTC; it is left open for five more minutes, since a server may still be writing its last hits.',
  run: (context, { flags }) =>
    withExistingDatabase(context, flags, async db => {
      const domains = new Map(
        sites(db)
          .list()
          .map(({ id, domain }) => [id, domain]),
      );
      const facts = await runSteps(sealSteps(db, utcDayOf(context.now() - graceMs), context.now()));
      const sealed = facts.map(({ siteId, day, visits, hits }) => ({
        domain: domains.get(siteId) ?? null,
        day: utcDayName(day),
        visits,
        hits,
      }));
      const text = table(
        ['DOMAIN', 'DAY', 'VISITS', 'HITS'],
        sealed.map(({ domain, day, visits, hits }) => [domain, day, visits, hits]),
      );
      print(
        context,
        flags.json,
        sealed,
        sealed.length === 0
          ? 'Every day that is over is sealed already.'
          : `${text}\n\nSealed ${counted(sealed.length, 'day')}.`,
      );
    }),
});
