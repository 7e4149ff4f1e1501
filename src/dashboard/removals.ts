/** Removes hits of a site after the fact, and puts them back. */
import { definitionsOf } from '../api/definitions.ts';
import { hitsToRemove } from '../api/hits-to-remove.ts';
import { ParameterError } from '../api/request/parameters.ts';
import { HttpError } from '../http/errors.ts';
import { planRetentionDays } from '../model/site.ts';
import { isoTime } from '../model/time.ts';
import type { RemovalTask } from '../query/removal/remove-hits.ts';
import type { Removal } from '../store/removal/removals.ts';
import { asTyped, field } from './fields.ts';
import type { Parts } from './parts.ts';
import { type Call, type DashboardRoute, get, ok, post } from './route.ts';
import type { Login } from './sessions.ts';
import { ownSite } from './site-settings.ts';
import type { WorkState } from './site-work.ts';
import type { RemovalList } from './wire.ts';

export const removalRoutes = (parts: Parts): DashboardRoute[] => {
  const { removals, work, definitions, now } = parts;
  const listOf = (siteId: number) => ok<RemovalList>(listView(removals.ofSite(siteId), work.stateOf(siteId)));

  /** The removal that a path names. Throws HttpError unless it is of the site. */
  const named = (siteId: number, { parameters }: Call): Removal => {
    const found = removals.ofSite(siteId).find(({ id }) => String(id) === parameters.removal);
    if (found === undefined) throw new HttpError('app-no-removal');
    return found;
  };

  const taskOf = (call: Call & { body: Readonly<Record<string, unknown>> }, login: Login): RemovalTask => {
    const site = ownSite(parts, call, login);
    const search = new URLSearchParams(field(call.body, 'search', asTyped));
    const moment = { now: now(), retentionDays: planRetentionDays[login.account.plan] };
    try {
      const task = hitsToRemove(site, search, moment, definitionsOf(definitions, site.id));
      if (task.filters.length > 0) return { ...task, file: null };
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
      throw new HttpError('app-bad-value', { error: `This cannot be asked: ${error.message}.`, field: 'search' });
    }
    throw new HttpError('app-bad-value', { error: 'Choose a filter first.', field: 'search' });
  };

  return [
    get('/app/sites/:site/removals', (call, login) => listOf(ownSite(parts, call, login).id)),

    post('/app/sites/:site/removals', (call, login) => {
      const task = taskOf(call, login);
      const { siteId } = task;
      if (!work.start({ siteId, accountId: login.account.id }, { kind: 'remove', task }))
        throw new HttpError('app-removing');
      return listOf(task.siteId);
    }),

    post('/app/sites/:site/removals/:removal/undo', (call, login) => {
      const { id: siteId } = ownSite(parts, call, login);
      const { id: removalId } = named(siteId, call);
      if (!work.start({ siteId, accountId: login.account.id }, { kind: 'undo', removalId }))
        throw new HttpError('app-removing');
      return listOf(siteId);
    }),
  ];
};

const listView = (all: readonly Removal[], state: WorkState | undefined): RemovalList => ({
  data: all.map(({ id, filters, period, hits, createdAt, finishedAt }) => ({
    id,
    filters,
    period,
    hits,
    createdAt: isoTime(createdAt),
    isFinished: finishedAt !== null,
  })),
  ...workView(state),
});

/** Imports have a list of their own (imports.ts). */
const workView = (state: WorkState | undefined): Pick<RemovalList, 'running' | 'failure'> => {
  const kind = state?.work.kind;
  if (state === undefined || (kind !== 'remove' && kind !== 'undo')) return { running: null, failure: null };
  const { done, of, hits } = state.progress;
  return {
    running: state.isRunning ? { kind, isWaiting: state.isWaiting, done, of, hits } : null,
    failure: state.failure,
  };
};
