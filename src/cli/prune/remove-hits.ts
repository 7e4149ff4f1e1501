/** `daybook prune --where` and `--undo`: takes hits out of past days, and puts them back. */
import { resolve } from 'node:path';
import { definitionsOf } from '../../api/definitions.ts';
import { hitsToRemove } from '../../api/hits-to-remove.ts';
import { ParameterError } from '../../api/request/parameters.ts';
import { filterFields } from '../../model/filters.ts';
import { suggestion } from '../../model/nearest.ts';
import type { Site } from '../../model/site.ts';
import type { WorkDone } from '../../model/work-done.ts';
import { createEngine } from '../../query/engine.ts';
import { alone } from '../../query/pace.ts';
import type { AnswerOf, BreakdownRow } from '../../query/query.ts';
import { countSteps, type HitsOfSite, type RemovalTask, removeSteps } from '../../query/removal/remove-hits.ts';
import { headline, headlineOf, topRowsOf, topValues } from '../../query/usual-questions.ts';
import { lockRemovals } from '../../store/database.ts';
import { definitions } from '../../store/definitions.ts';
import { putBack, removalOf } from '../../store/removal/put-back.ts';
import type { Progress } from '../../store/removal/take-out.ts';
import { sites } from '../../store/sites.ts';
import { CommandError, type Opened, type Result, UsageError } from '../command.ts';
import { counted, formatCount, listing } from '../format.ts';
import { runShown } from '../long-work.ts';
import { siteWithHits } from '../lookup.ts';
import type { OnCluster } from '../on-cluster.ts';

interface Asked {
  where: readonly string[];
  site: string;
  account: string | undefined;
  from: string | undefined;
  to: string | undefined;
  save: string | undefined;
  dryRun: boolean;
}

export const pruneHits = async (context: Opened<'open'>, asked: Asked, cluster: OnCluster | null): Promise<Result> => {
  const { db, dataDir, now } = context;
  const site = siteWithHits(db, asked.site, asked.account);
  const task = taskOf(context, site, asked);
  const said = { site: site.domain, filters: task.filtersText, period: task.period, dryRun: asked.dryRun };
  if (asked.dryRun) return preview(context, site, task, said, cluster);
  const unlock = lockRemovals(dataDir);
  try {
    if (cluster !== null) await cluster.bring(site, task);
    const removal = await runDays(context, removeSteps(db, task, now), 'run the same command again to go on.');
    const note = await shipped(cluster, site);
    const hits = removal?.hits ?? 0;
    const file = removal?.file ?? null;
    const undo = file === null ? '' : `\nTo put them back: daybook prune --undo ${file}`;
    return {
      json: { ...said, hits, file },
      text: `Removed ${counted(hits, 'hit')} from ${site.domain}.${note}${undo}`,
    };
  } finally {
    unlock();
  }
};

export const undoPrune = async (
  context: Opened<'open'>,
  typed: string,
  dryRun: boolean,
  cluster: OnCluster | null,
): Promise<Result> => {
  const { db, dataDir } = context;
  const file = resolve(typed);
  const unlock = lockRemovals(dataDir);
  try {
    const removal = removalOf(db, file);
    const site = sites(db)
      .list()
      .find(({ id }) => id === removal.siteId);
    if (site === undefined) throw new CommandError('The site of these hits was reset or removed.');
    const { domain } = site;
    const said = { site: domain, filters: removal.filters, period: removal.period, dryRun };
    if (dryRun)
      return {
        json: { ...said, hits: removal.hits },
        text: `Would put back ${counted(removal.hits, 'hit')} of ${domain}.`,
      };
    const hits = await runDays(context, hitsOf(putBack(db, removal, file)), 'run the same command again to go on.');
    const note = await shipped(cluster, site);
    return { json: { ...said, hits }, text: `Put back ${counted(hits, 'hit')} of ${domain}.${note}` };
  } finally {
    unlock();
  }
};

/** Brings changes to the cluster, if there is one; a sentence if the server still has to do it. */
const shipped = async (cluster: OnCluster | null, site: Site): Promise<string> =>
  cluster === null || (await cluster.ship(site)) ? '' : ' The server brings that to ClickHouse within a minute.';

const taskOf = ({ db, now }: Opened<'open'>, site: Site, { where, from, to, save }: Asked): RemovalTask => {
  const search = new URLSearchParams(where.join('&'));
  const period = ['range', 'from', 'to'].find(name => search.has(name));
  if (period !== undefined) throw new UsageError(`--where takes filters, and ${period} is none.`);
  if (from !== undefined) search.set('from', from);
  if (to !== undefined) search.set('to', to);
  try {
    const task = hitsToRemove(
      site,
      search,
      { now: now(), retentionDays: null },
      definitionsOf(definitions(db), site.id),
    );
    if (task.filters.length === 0) throw new UsageError('--where needs a filter, such as path^=/wp-.');
    return { ...task, file: save === undefined ? null : resolve(save) };
  } catch (error) {
    if (error instanceof ParameterError) throw new UsageError(sentenceOf(error));
    throw error;
  }
};

const sentenceOf = ({ body: { error, parameter, value = parameter } }: ParameterError): string => {
  if (error === 'unknown parameter')
    return `There is no filter ${parameter}.${suggestion(parameter.replace(/\W+$/, ''), filterFields)}`;
  if (error === 'bad date') return `--${parameter} needs a date such as 2026-10-01, and --from none after --to.`;
  return `--where: ${error} (${value}).`;
};

interface Said {
  site: string;
  filters: string;
  period: string;
  dryRun: boolean;
}

/** Rows of the listing of pages that would lose hits. */
const pagesMax = 10;

const preview = async (
  context: Opened<'open'>,
  site: Site,
  task: RemovalTask,
  said: Said,
  cluster: OnCluster | null,
): Promise<Result> => {
  if (cluster !== null) return previewOfCluster(await cluster.daysWithHits(site, task), said);
  const hits = await runDays(context, hitsOf(countSteps(context.db, task)), 'nothing was changed.');
  const { visitors, visits, pages } = await whoGoes(context, task);
  const counts = `${counted(hits, 'hit')}, of ${counted(visits, 'visit')} and ${counted(visitors, 'visitor')}`;
  const columns = { HITS: ({ events }: BreakdownRow) => formatCount(events), PAGE: ({ name }: BreakdownRow) => name };
  const table = pages.length === 0 ? '' : `${listing(pages, columns, '').text}\n\n`;
  return {
    json: { ...said, hits, visits, visitors, pages: pages.map(({ name, events }) => ({ name, hits: events })) },
    text: `${table}Would remove ${counts} of ${said.site}.`,
  };
};

const previewOfCluster = (days: ReadonlyMap<number, number>, said: Said): Result => {
  const hits = [...days.values()].reduce((sum, count) => sum + count, 0);
  const text = `Would remove ${counted(hits, 'hit')} of ${said.site} on ${counted(days.size, 'day')}.`;
  return { json: { ...said, hits, days: days.size }, text };
};

const whoGoes = async ({ db }: Opened<'open'>, { siteId, from, to, filters }: HitsOfSite) => {
  const questions = [headline, topValues('path', pagesMax)];
  const query = { siteId, currency: '', minorRates: {}, slices: [{ from, to, filters, questions }] };
  const [report] = await createEngine(db, 0).answer(query, alone);
  const [all, pages] = report as [AnswerOf<'metricSeries'>, AnswerOf<'table'>];
  const { visitors, visits } = headlineOf(all);
  return { visitors: visitors ?? 0, visits: visits ?? 0, pages: topRowsOf(pages) };
};

/** Steps that return the number of hits that the last one told. */
function* hitsOf(steps: Generator<Progress>): Generator<Progress, number> {
  let hits = 0;
  for (const step of steps) {
    hits = step.hits;
    yield step;
  }
  return hits;
}

/** Runs the steps, shows how far they are, and hears signals in between. */
const runDays = <T>(context: Opened<'open'>, steps: Generator<Progress, T>, meaning: string): Promise<T> =>
  runShown(context, daysOf(steps), meaning);

function* daysOf<T>(steps: Generator<Progress, T>): Generator<WorkDone, T> {
  try {
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      const { done, of } = step.value;
      yield { unit: 'day', verb: 'looked through', count: done, of };
    }
    return step.value;
  } finally {
    // Steps that are stopped let go of what they have open.
    steps.return(undefined as T);
  }
}
