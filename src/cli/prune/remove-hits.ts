/** `daybook prune --where`, `--list` and `--undo`: rules that leave hits out, and their undoing. */
import { resolve } from 'node:path';
import { definitionsOf } from '../../api/definitions.ts';
import { hitsToRemove } from '../../api/hits-to-remove.ts';
import { reasonCharsMax } from '../../model/limits.ts';
import type { Site } from '../../model/site.ts';
import { createEngine } from '../../query/engine.ts';
import { alone } from '../../query/pace.ts';
import type { AnswerOf, BreakdownRow, Query, Report } from '../../query/query.ts';
import {
  addRule,
  type HitsOfSite,
  hitsIn,
  hitsQuestion,
  leftOutQuery,
  type RuleTask,
} from '../../query/removal-rules/hits-of-rule.ts';
import { headline, headlineOf, topRowsOf, topValues } from '../../query/usual-questions.ts';
import type { Database } from '../../store/database.ts';
import { definitions } from '../../store/definitions.ts';
import { putBack, removalOf } from '../../store/moved-hits/put-back.ts';
import { type Rule, rules } from '../../store/removal-rules.ts';
import { sites } from '../../store/sites.ts';
import { CommandError, type Opened, type Result, UsageError } from '../command.ts';
import { counted, formatCount, formatTime, isoTime, type ListingColumns, listing } from '../format.ts';
import { runDays, withImportsLocked } from '../long-work.ts';
import { siteWithHits, siteWithId } from '../lookup.ts';
import type { OnCluster } from '../on-cluster.ts';
import { readWhere } from '../typed.ts';

interface RemovalAsked {
  where: readonly string[];
  site: string;
  account: string | undefined;
  from: string | undefined;
  to: string | undefined;
  why: string | undefined;
  dryRun: boolean;
}

export const pruneHits = async (context: Opened, asked: RemovalAsked, cluster: OnCluster | null): Promise<Result> => {
  const { db, now } = context;
  const site = siteWithHits(db, asked.site, asked.account);
  const task = taskOf(context, site, asked);
  const said = { site: site.domain, filters: task.filtersText, period: task.period, dryRun: asked.dryRun };
  if (asked.dryRun) return preview(context, task, said, cluster);
  await cluster?.daysWithHits(task);
  const rule = addRule(rules(db), task, now());
  const [hits = 0] = await leftOut(db, site.id, [rule], cluster);
  if (hits === 0) rules(db).drop(site.id, rule.id);
  const note = await shipped(cluster, site);
  const id = hits === 0 ? null : rule.id;
  const undo = id === null ? '' : `\nTo put them back: daybook prune --undo ${id}`;
  return {
    json: { ...said, hits, rule: id },
    text: `Removed ${counted(hits, 'hit')} from ${site.domain}.${note}${undo}`,
  };
};

/** How many hits each of some rules of a site leaves out. */
export const leftOut = async (
  db: Database,
  siteId: number,
  all: readonly Rule[],
  cluster: Pick<OnCluster, 'leftOut'> | null,
): Promise<number[]> => {
  if (all.length === 0) return [];
  const there = await cluster?.leftOut(siteId, all);
  return hitsIn(await ask(db, leftOutQuery(siteId, all))).map((hits, i) => hits + (there?.[i] ?? 0));
};

const ask = (db: Database, query: Query): Promise<Report> => createEngine(db, 0).answer(query, alone);

interface RuleView {
  id: number;
  site: string;
  filters: string;
  period: string;
  hits: number;
  createdAt: string | null;
  /** Null: a command made it. */
  by: string | null;
  why: string | null;
}

/** The rules of all sites, or of one. */
export const listRules = async (
  { db }: Opened,
  domain: string | undefined,
  account: string | undefined,
  cluster: OnCluster | null,
): Promise<Result> => {
  const views: RuleView[] = [];
  const all = domain === undefined ? sites(db).list() : [siteWithHits(db, domain, account)];
  for (const { id: siteId, domain: site } of all) {
    const ofSite = rules(db).ofSite(siteId);
    const counts = await leftOut(db, siteId, ofSite, cluster);
    for (const [i, { id, filters, period, createdAt, madeBy, reason }] of ofSite.entries()) {
      const said = { createdAt: isoTime(createdAt), by: madeBy, why: reason };
      views.push({ id, site, filters, period, hits: counts[i]!, ...said });
    }
  }
  return listing(views, ruleColumns, 'No rule leaves hits out: daybook prune --where FILTER --site DOMAIN makes one.');
};

const ruleColumns: ListingColumns<RuleView> = {
  ID: ({ id }) => String(id),
  DOMAIN: 'site',
  FILTERS: 'filters',
  DAYS: 'period',
  HITS: 'hits',
  MADE: ({ createdAt }) => formatTime(createdAt),
  BY: ({ by }) => by ?? '(command)',
  WHY: 'why',
};

/** `typed` is the number of a rule, or the file of a removal by an earlier version. */
export const undoPrune = (
  context: Opened,
  typed: string,
  dryRun: boolean,
  cluster: OnCluster | null,
): Promise<Result> =>
  /^\d+$/.test(typed)
    ? undoRule(context, Number(typed), dryRun, cluster)
    : withImportsLocked(context.dataDir, () => undoRemoval(context, resolve(typed), dryRun, cluster));

const undoRule = async ({ db }: Opened, id: number, dryRun: boolean, cluster: OnCluster | null): Promise<Result> => {
  const rule = rules(db).byId(id);
  const site = rule && siteWithId(db, rule.siteId);
  if (rule === undefined || site === undefined)
    throw new CommandError(`There is no rule ${id}: daybook prune --list shows those there are.`);
  const [hits = 0] = await leftOut(db, site.id, [rule], cluster);
  const said = { site: site.domain, filters: rule.filters, period: rule.period, dryRun, hits };
  const count = `${counted(hits, 'hit')} of ${site.domain}.`;
  if (dryRun) return { json: said, text: `Would put back ${count}` };
  rules(db).drop(site.id, id);
  return { json: said, text: `Put back ${count}${await shipped(cluster, site)}` };
};

const undoRemoval = async (
  context: Opened,
  file: string,
  dryRun: boolean,
  cluster: OnCluster | null,
): Promise<Result> => {
  const { db } = context;
  const removal = removalOf(db, file);
  const site = siteWithId(db, removal.siteId);
  if (site === undefined) throw new CommandError('The site of these hits was reset or removed.');
  const said = { site: site.domain, filters: removal.filters, period: removal.period, dryRun };
  const countOf = (hits: number): string => `${counted(hits, 'hit')} of ${site.domain}.`;
  if (dryRun) return { json: { ...said, hits: removal.hits }, text: `Would put back ${countOf(removal.hits)}` };
  const hits = await runDays(context, putBack(db, removal, file), 'put back', 'run the same command again.');
  const note = await shipped(cluster, site);
  return { json: { ...said, hits }, text: `Put back ${countOf(hits)}${note}` };
};

/** Brings changes to the cluster, if there is one; a sentence if the server still has to do it. */
const shipped = async (cluster: OnCluster | null, site: Site): Promise<string> =>
  cluster === null || (await cluster.ship(site)) ? '' : ' The server brings that to ClickHouse within a minute.';

const taskOf = ({ db, now }: Opened, site: Site, { where, from, to, why }: RemovalAsked): RuleTask => {
  if (why !== undefined && why.length > reasonCharsMax)
    throw new UsageError(`--why takes at most ${reasonCharsMax} characters.`);
  return readWhere(where, search => {
    const period = ['range', 'from', 'to'].find(name => search.has(name));
    if (period !== undefined) throw new UsageError(`--where takes filters, and ${period} is none.`);
    if (from !== undefined) search.set('from', from);
    if (to !== undefined) search.set('to', to);
    const moment = { now: now(), retentionDays: null };
    const task = hitsToRemove(site, search, moment, definitionsOf(definitions(db), site.id));
    if (task.filters.length === 0) throw new UsageError('--where needs a filter, such as path^=/wp-.');
    return { ...task, madeBy: null, reason: why ?? null };
  });
};

interface Said {
  site: string;
  filters: string;
  period: string;
  dryRun: boolean;
}

/** Rows of the listing of pages that would lose hits. */
const pagesMax = 10;

const preview = async (context: Opened, task: RuleTask, said: Said, cluster: OnCluster | null): Promise<Result> => {
  if (cluster !== null) return previewOfCluster(await cluster.daysWithHits(task), said);
  const { hits, visitors, visits, pages } = await whoGoes(context, task);
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

const whoGoes = async ({ db }: Opened, { siteId, from, to, filters }: HitsOfSite) => {
  const questions = [headline, topValues('path', pagesMax), hitsQuestion];
  const query = { siteId, currency: '', minorRates: {}, slices: [{ from, to, filters, questions }] };
  const [[all, pages, counted]] = (await ask(db, query)) as [
    [AnswerOf<'metricSeries'>, AnswerOf<'table'>, AnswerOf<'table'>],
  ];
  const { visitors, visits } = headlineOf(all);
  const [hits = 0] = hitsIn([[counted]]);
  return { hits, visitors: visitors ?? 0, visits: visits ?? 0, pages: topRowsOf(pages) };
};
