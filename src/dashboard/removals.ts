/** Rules that leave hits of a site out, and removals of earlier versions: to list and to undo. */

import { asTyped, field, optional } from '../api/changes/fields.ts';
import { definitionsOf } from '../api/definitions.ts';
import { hitsToRemove } from '../api/hits-to-remove.ts';
import { ParameterError } from '../api/request/parameters.ts';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { reasonCharsMax } from '../model/limits.ts';
import { planRetentionDays } from '../model/site.ts';
import { isoTime } from '../model/time.ts';
import { addRule, hitsIn, leftOutQuery, type RuleTask } from '../query/removal-rules/hits-of-rule.ts';
import { StoreError } from '../store/database.ts';
import type { Removal } from '../store/moved-hits/removals.ts';
import type { Rule } from '../store/removal-rules.ts';
import { type InTeam, type OnSite, siteWithHits } from './allow.ts';
import type { AppParts } from './parts.ts';
import { type Call, type DashboardRoute, get, ok, post } from './route.ts';
import type { WorkState } from './site-work.ts';
import type { RemovalList, RemovalView } from './wire.ts';

export const removalRoutes = (parts: AppParts): DashboardRoute[] => {
  const { removals, rules, work, now } = parts;
  const listOf = (siteId: number, hits: readonly number[] | null = null) => {
    const made = rules.ofSite(siteId).map((rule, i) => ruleView(rule, hits?.[i] ?? null));
    const data = [...made, ...removals.ofSite(siteId).map(removalView)];
    return ok<RemovalList>({ data, ...workView(work.stateOf(siteId)) });
  };
  const begin = (siteId: number, { account }: InTeam, of: Parameters<typeof work.start>[1]): void => {
    if (!work.start({ siteId, accountId: account.id }, of)) throw new HttpError('app-removing');
  };

  return [
    get('/app/sites/:site/removals', 'leaveOut', async (_, login) => {
      const { id: siteId } = siteWithHits(login);
      return listOf(siteId, await hitsLeftOut(parts, siteId, login));
    }),

    post('/app/sites/:site/removals', 'leaveOut', async (call, login) => {
      const task = taskOf(parts, call, login);
      const reason = (await parts.whyNoRule?.(task)) ?? null;
      if (reason !== null) throw new HttpError('app-bad-value', { error: reason, field: 'search' });
      making(() => addRule(rules, task, now()));
      return listOf(task.siteId);
    }),

    post('/app/sites/:site/removals/:removal/undo', 'leaveOut', (call, login) => {
      const { id: siteId } = siteWithHits(login);
      const id = call.parameters.removal!;
      const removal = removals.ofSite(siteId).find(one => removalView(one).id === id);
      if (removal !== undefined) begin(siteId, login, { kind: 'undo', removalId: removal.id });
      else if (!/^\d{1,15}$/.test(id) || !rules.drop(siteId, Number(id))) throw new HttpError('app-no-removal');
      return listOf(siteId);
    }),
  ];
};

const making = (make: () => unknown): void => {
  try {
    make();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new HttpError('app-bad-value', { error: error.message, field: 'search' });
  }
};

const taskOf = (parts: AppParts, call: Call & { body: Body }, login: OnSite): RuleTask => {
  const site = siteWithHits(login);
  const search = new URLSearchParams(field(call.body, 'search', asTyped));
  const { reason = '' } = optional(call.body, 'reason', asTyped);
  if (reason.length > reasonCharsMax)
    throw new HttpError('app-bad-value', { error: `Use at most ${reasonCharsMax} characters.`, field: 'reason' });
  const moment = { now: parts.now(), retentionDays: planRetentionDays[login.account.plan] };
  try {
    const task = hitsToRemove(site, search, moment, definitionsOf(parts.definitions, site.id));
    if (task.filters.length > 0) return { ...task, madeBy: login.person.email, reason: reason.trim() || null };
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    throw new HttpError('app-bad-value', { error: `This cannot be asked: ${error.message}.`, field: 'search' });
  }
  throw new HttpError('app-bad-value', { error: 'Choose a filter first.', field: 'search' });
};

/** How many hits each rule leaves out; null where nobody can tell now. */
const hitsLeftOut = async (
  { rules, engine }: AppParts,
  siteId: number,
  { account }: InTeam,
): Promise<readonly number[] | null> => {
  const all = rules.ofSite(siteId);
  if (all.length === 0) return [];
  const asker = { accountId: account.id, isPublic: false };
  const report = await engine.run(leftOutQuery(siteId, all), asker).catch(() => null);
  // Others may have been made meanwhile.
  const isSame = rules.ofSite(siteId).every(({ id }, i) => id === all[i]?.id);
  return report === null || !isSame ? null : hitsIn(report);
};

const ruleView = ({ id, filters, period, createdAt, madeBy, reason }: Rule, hits: number | null): RemovalView => ({
  ...{ id: String(id), filters, period, hits, createdAt: isoTime(createdAt), by: madeBy, reason },
});

const removalView = ({ id, filters, period, hits, createdAt }: Removal): RemovalView => ({
  ...{ id: `file-${id}`, filters, period, hits, createdAt: isoTime(createdAt), by: null, reason: null },
});

/** Imports have a list of their own (imports.ts). */
const workView = (state: WorkState | undefined): Pick<RemovalList, 'running' | 'failure'> => {
  if (state?.work.kind !== 'undo') return { running: null, failure: null };
  const { done, of, hits } = state.progress;
  return {
    running: state.isRunning ? { isWaiting: state.isWaiting, done, of, hits } : null,
    failure: state.failure,
  };
};
