/**
 * `daybook demo`: two made-up sites with sample data, sent through the collector's own pipeline.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Pipeline } from '../collect/pipeline.ts';
import { readSetting } from '../config.ts';
import { isNonCounting } from '../model/hit.ts';
import { newSite } from '../model/new-site.ts';
import { type Site, siteSummary } from '../model/site.ts';
import { utcDayOf } from '../model/time.ts';
import { wholeOf } from '../model/values.ts';
import { accounts, defaultAccountName } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { wholeDays } from '../store/day/whole-days.ts';
import { dropSites } from '../store/maintenance/drop-sites.ts';
import { rates } from '../store/rates.ts';
import { runStepsAlone } from '../store/run-steps.ts';
import { siteDirectory, sites } from '../store/sites.ts';
import { recorder } from '../store/write/recorder.ts';
import { CommandError, command, type Opened, UsageError } from './command.ts';
import { openDemoPipeline } from './demo/demo-pipeline.ts';
import { type DemoLine, type DemoOptions, demoDays } from './demo/generate.ts';
import { profiles } from './demo/profile.ts';
import { textFlag } from './flags.ts';
import { counted } from './format.ts';
import { withProgress } from './long-work.ts';

/** Ten years: days are counted back from today, and must not reach 1970. */
const daysMax = 3650;
const hitsMax = 100_000_000;

const numberIn =
  (name: string, least: number, most: number) =>
  (typed: string): number => {
    const number = wholeOf(typed, `--${name}`);
    if (number >= least && number <= most) return number;
    throw new UsageError(`--${name} must be from ${least} to ${most}.`);
  };

export const demo = command({
  name: 'demo',
  flags: {
    days: textFlag('N', 'Days of data (default: 365)', numberIn('days', 1, daysMax)),
    hits: textFlag('N', 'Pageviews and events, approximately (default: 250000)', numberIn('hits', 1, hitsMax)),
    seed: textFlag('N', 'Another number makes other visitors (default: 1)', numberIn('seed', 0, 999_999_999)),
  },
  summary: 'Add two demo sites with sample data',
  details: `${profiles.map(({ domain }) => domain).join(' and ')} have seasons, weekly rhythms, campaigns, visitors from many countries, events,
revenue in two currencies, web vitals and crawlers. The same seed makes the same visitors. To remove a demo site, run
daybook site remove. Stop the server first.
When it is interrupted, nothing of it stays.`,
  database: 'create',
  exclusive: true,
  run: async (context, { flags: { days = 365, hits = 250_000, seed = 1 } }) => {
    const { db, now } = context;
    const added = addSites(context);
    const written = await fill(context, added, { until: now(), days, hits, seed }).catch(async error => {
      // Half a demo is of no use, and would stand in the way of the next try.
      for (const site of added) sites(db).remove(site.id);
      // A site is forgotten once nothing was found of it.
      for (let pass = 0; pass < 2; pass++) await runStepsAlone(db)(dropSites(db), () => {});
      throw error;
    });
    setRates(db);
    const list = added.map(({ domain, publicKey }) => `  ${domain}  ${publicKey}`).join('\n');
    return {
      json: { hits: written, sites: added.map(siteSummary) },
      text: `Added ${counted(added.length, 'site')} with ${counted(written, 'hit')} over ${counted(days, 'day')}:\n${list}`,
    };
  },
});

const addSites = ({ db, now, random }: Opened): Site[] => {
  const account = accounts(db).named(defaultAccountName, now());
  const taken = sites(db)
    .list(account.id)
    .find(({ domain }) => profiles.some(profile => profile.domain === domain));
  if (taken !== undefined) {
    throw new CommandError(`There is a demo already: to replace it, run daybook site remove ${taken.domain} first.`);
  }
  return profiles.map(({ domain, timezone, currency, identityMode, excludedIps }) =>
    sites(db).add(
      newSite({ accountId: account.id, domain, timezone, currency, identityMode, excludedIps }, now(), random),
    ),
  );
};

const setRates = (db: Database): void => {
  const known = rates(db).list();
  for (const demoRate of demoRates) {
    const { source, target } = demoRate;
    if (!known.some(rate => rate.source === source && rate.target === target)) rates(db).set(demoRate);
  }
};

/** So that each site's total holds what was paid in the other currency. */
const demoRates = [
  { source: 'USD', target: 'EUR', rate: 0.92 },
  { source: 'EUR', target: 'USD', rate: 1.087 },
];

/** Lines written between two looks at the clock and the signals. */
const batchLines = 2000;

/**
 * Writes the demo day by day and seals the days that are over. Gives the number of hits it stored.
 */
const fill = async (context: Opened, added: readonly Site[], options: DemoOptions): Promise<number> => {
  const { db, now } = context;
  const records = recorder(db);
  const days = wholeDays(db);
  const { pipeline, close } = await openDemoPipeline(context, {
    db,
    recorder: records,
    directory: siteDirectory(db),
    geo: {
      geoDb: readSetting('geoDb', context.env, {}),
      geoAsnDb: readSetting('geoAsnDb', context.env, {}),
    },
  });
  try {
    return await withProgress(context, 'no demo was added.', async step => {
      let [written, daysDone] = [0, 0];
      for (const { day, lines } of demoDays(options)) {
        await days.write(async () => {
          for (let from = 0; from < lines.length; from += batchLines) {
            const batch = lines.slice(from, from + batchLines);
            const entries = batch.map(line => entryOf(pipeline, added[line.site]!, line));
            records.write(entries);
            for (const { hit } of entries) if (hit !== undefined && !isNonCounting(hit.type)) written++;
            const part = (daysDone + from / lines.length) / options.days;
            await turn();
            step({ unit: 'hit', verb: 'made', count: written, part });
          }
          if (day < utcDayOf(options.until)) for (const { id: siteId } of added) days.seal({ siteId, day }, now());
        });
        days.checkpoint();
        daysDone++;
      }
      return written;
    });
  } finally {
    close();
  }
};

const entryOf = (pipeline: Pipeline, { publicKey }: Site, line: DemoLine) =>
  'report' in line
    ? pipeline.reports([{ at: line.at, address: '', userAgent: '', body: { ...line.report, s: publicKey } }])[0]!
    : pipeline.process({ at: line.at, address: line.ip, userAgent: line.ua, body: { ...line.hit, s: publicKey } });
