/** `daybook prune`: deletes what is old, and takes hits out of days after the fact. */
import { command, UsageError } from './command.ts';
import { accountFlag, listFlag, switchFlag, textFlag } from './flags.ts';
import { clusterFlag, onCluster } from './on-cluster.ts';
import { daysOf, pruneOldDays } from './prune/old-days.ts';
import { listRules, pruneHits, undoPrune } from './prune/remove-hits.ts';

export const prune = command({
  name: 'prune',
  flags: {
    'older-than': textFlag(
      'DAYS',
      'Delete what is older for good: keep today and this many days (UTC) before it',
      (typed: string) => daysOf(typed),
    ),
    where: listFlag('FILTER', 'Leave hits out, with a filter of the API such as path^=/wp-'),
    site: textFlag('DOMAIN', 'The site that --where is about'),
    from: textFlag('DATE', 'First local day of the site that --where is about'),
    to: textFlag('DATE', 'Last local day, included; alone, that one day'),
    why: textFlag('TEXT', 'Why --where leaves the hits out, for whoever reads the list'),
    list: switchFlag('List the rules that leave hits out, of all sites or of one'),
    undo: textFlag('ID', 'Put the hits back that a rule leaves out, or an older version’s FILE'),
    ...clusterFlag,
    'dry-run': switchFlag('Only show what would be deleted or removed'),
    ...accountFlag,
  },
  summary: 'Delete hits older than a number of days, or remove hits that a filter selects',
  details: `--older-than deletes hits, web vitals, crawlers and outcomes of all sites for good, and the cookie-mode visitors who have none left.
Without a server it also deletes texts (titles, traits, paths) that are no longer used. The file does not shrink: its space is
used again.

--where makes a rule of one site: the hits that came until now and match are left out of all numbers, lists and exports, as if
they had never come. Several filters must all match. Without --from and --to, all days are meant. Nothing is deleted: --list shows
the rules, and --undo ID puts the hits back, at any time. Web vitals and crawlers stay. The file of a removal by an earlier
version is put back with --undo FILE.

All of them may run beside a server. With --clickhouse, the same is left out there: by this command, or within a minute by the
server where one runs.`,
  database: 'change',
  run: async (context, { flags }) => {
    const { 'older-than': keepDays, where, undo, 'dry-run': dryRun, list, site, from, to, why, account } = flags;
    if ([keepDays, where, undo, list || undefined].filter(one => one !== undefined).length !== 1)
      throw new UsageError('prune needs one of --older-than DAYS, --where FILTER, --list and --undo ID.');
    const ofWhere = Object.entries({ from, to, why, ...(!list && { site, account }) });
    const stray = ofWhere.find(([, value]) => value !== undefined);
    if (where === undefined && stray !== undefined) throw new UsageError(`--${stray[0]} needs --where FILTER.`);
    const cluster = await onCluster(context, flags);
    if (list) return listRules(context, site, account, cluster);
    if (keepDays !== undefined) return pruneOldDays(context, keepDays, dryRun, cluster);
    if (undo !== undefined) return undoPrune(context, undo, dryRun, cluster);
    if (site === undefined) throw new UsageError('--where needs --site DOMAIN.');
    return pruneHits(context, { where: where!, site, account, from, to, why, dryRun }, cluster);
  },
});
