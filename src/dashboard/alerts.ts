/**
 * Alerts of sites and channels of teams, as people change them; and, for whoever has the link in a
 * message, muting one.
 */

import {
  type AlertStores,
  addAlert,
  addChannel,
  type ChangedBy,
  changeAlert,
  channelList,
  muteAlert,
  newSecret,
  removeAlert,
  removeChannel,
  testChannel,
  tried,
} from '../api/alerts/changes.ts';
import { tryAlert } from '../api/alerts/try.ts';
import { ask, runFor } from '../api/ask.ts';
import { asTyped, field } from '../api/changes/fields.ts';
import { viewOfSite } from '../api/site-view.ts';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { isDone } from '../http/reply.ts';
import { muteHours } from '../model/alerts/kinds.ts';
import { hourMs } from '../model/time.ts';
import { QueryError } from '../query/errors.ts';
import { rates as rateStore } from '../store/rates.ts';
import type { InTeam, OnSite } from './allow.ts';
import type { AppParts } from './parts.ts';
import { type Call, type DashboardRoute, get, ok, openPost, post } from './route.ts';
import type { MuteOffer } from './wire.ts';

export const alertRoutes = (parts: AppParts): DashboardRoute[] => {
  const stores = { ...parts, sendsMail: parts.mail !== null };
  return [muteRoute(parts, stores), ...siteRoutes(parts, stores), ...channelRoutes(parts, stores)];
};

const muteRoute = ({ directory, now }: AppParts, { alerts }: AlertStores): DashboardRoute =>
  openPost('/app/mute', ({ body }) => {
    const token = field(body, 'token', asTyped);
    const alert = alerts.byMuteToken(token);
    const site = alert && directory.byId(alert.siteId);
    if (alert === undefined || site === undefined) throw new HttpError('app-dead-link');
    const hours = Object.values(muteHours).find(each => each === body.hours);
    if (hours !== undefined) alerts.mute(alert.id, now() + hours * hourMs);
    const until = hours === undefined ? alert.mutedUntil : now() + hours * hourMs;
    return ok<MuteOffer>({ name: alert.name, site: site.domain, isMuted: until !== null && until > now() });
  });

const byOf = ({ now }: AppParts, { note }: Call, { account, person }: InTeam): ChangedBy => ({
  ...{ accountId: account.id, name: person.email, now: now() },
  note: (action, subject, details) => note({ person, accountId: account.id, action, subject, details }),
});

const siteRoutes = (parts: AppParts, stores: AlertStores): DashboardRoute[] => {
  const { engine, directory } = parts;
  const rates = rateStore(parts.db);
  const changed = (change: typeof changeAlert, call: Call & { body: Body }, on: OnSite) => {
    const view = viewOfSite(parts, on.site, on.grant);
    return ok(change(stores, view, call.parameters.alert!, call.body, byOf(parts, call, on)));
  };
  return [
    post('/app/sites/:site/alerts', 'settings', (call, on) =>
      ok(addAlert(stores, viewOfSite(parts, on.site, on.grant), call.body, byOf(parts, call, on))),
    ),

    post('/app/sites/:site/alerts/try', 'settings', async ({ body }, on) => {
      const { site, account } = on;
      const view = viewOfSite(parts, site, on.grant);
      const { rule, filters } = tried(body, view);
      const asked = { site, asker: { accountId: account.id, isPublic: false }, always: [] };
      const run = runFor({ engine, rates, directory }, asked, new AbortController().signal);
      const answer = await ask(tryAlert(rule, filters, view), run).catch(error => {
        throw error instanceof QueryError ? new HttpError('query-busy') : error;
      });
      return ok(answer);
    }),

    post('/app/sites/:site/alerts/:alert', 'settings', (call, on) => changed(changeAlert, call, on)),
    post('/app/sites/:site/alerts/:alert/mute', 'settings', (call, on) => changed(muteAlert, call, on)),

    post('/app/sites/:site/alerts/:alert/remove', 'settings', (call, on) => {
      removeAlert(stores, viewOfSite(parts, on.site, on.grant), call.parameters.alert!, byOf(parts, call, on));
      return isDone();
    }),
  ];
};

const channelRoutes = (parts: AppParts, stores: AlertStores): DashboardRoute[] => [
  get('/app/teams/:team/channels', 'settings', (_, { account }) => ok(channelList(stores, account.id))),

  post('/app/teams/:team/channels', 'share', (call, on) => ok(addChannel(stores, call.body, byOf(parts, call, on)))),

  post('/app/teams/:team/channels/:channel/test', 'share', (call, on) => {
    testChannel(stores, call.parameters.channel!, on.account.name, byOf(parts, call, on));
    return isDone();
  }),

  post('/app/teams/:team/channels/:channel/secret', 'share', (call, on) =>
    ok(newSecret(stores, call.parameters.channel!, byOf(parts, call, on))),
  ),

  post('/app/teams/:team/channels/:channel/remove', 'share', (call, on) => {
    removeChannel(stores, call.parameters.channel!, byOf(parts, call, on));
    return isDone();
  }),
];
