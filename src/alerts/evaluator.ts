/** Judges the alerts of all sites each minute, and tells what is to be told. */
import { setTimeout as wait } from 'node:timers/promises';
import { partsOfAlert } from '../api/alerts/measure.ts';
import { runFor } from '../api/ask.ts';
import { viewOfSite } from '../api/site-view.ts';
import type { Log } from '../log.ts';
import { reasonOf } from '../log.ts';
import type { AlertRule } from '../model/alerts/kinds.ts';
import { covers, teamGrant } from '../model/grant.ts';
import { makeToken, type Random } from '../model/ids.ts';
import { wallClock } from '../model/notes.ts';
import type { HideablePart } from '../model/public-parts.ts';
import type { Account, Site } from '../model/site.ts';
import { hourMs, minuteMs } from '../model/time.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import { accounts as accountStore } from '../store/accounts/accounts.ts';
import { members as memberStore } from '../store/accounts/members.ts';
import { persons as personStore } from '../store/accounts/persons.ts';
import { type Alert, alerts as alertStore } from '../store/alerts/alerts.ts';
import { channels as channelStore } from '../store/alerts/channels.ts';
import type { Database } from '../store/database.ts';
import { definitions as definitionStore } from '../store/definitions.ts';
import { notes as noteStore } from '../store/notes.ts';
import { outboxStore } from '../store/outbox.ts';
import { rates as rateStore } from '../store/rates.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { untilClosed } from '../until-closed.ts';
import { type AlertReader, messagesOf, noteTextFor, type ToldAlert } from './episode-messages.ts';
import { contributorsOf, evaluateSite, type JudgedAlert, type TimeSpan, type Watched } from './judge-site.ts';
import { memoryOf } from './memory.ts';
import type { Watch } from './watch.ts';

export interface EvaluatorParts {
  db: Database;
  directory: SiteDirectory;
  engine: QueryEngine;
  /** UTC milliseconds. */
  now: () => number;
  random: Random;
  log: Log;
  /** Where people reach the dashboard; null where that is not known. */
  baseUrl: string | null;
  /** Whether owners can get mail. */
  sendsMail: boolean;
  /** When no server ran before this one; null where it was not long. */
  down: TimeSpan | null;
  /** Has messages sent at once. */
  wake: () => void;
}

export interface Evaluator {
  /** Judges what is due now. */
  turn(): Promise<void>;
  /** Stops after the site at hand. */
  close(): Promise<void>;
}

const everyMs = minuteMs;
/** Between two sites, for hits and for questions of people. */
const restMs = 5;
/** From so many hits on a site has the alerts that are made for each. */
const hitsForOwn = 100;
const ownEveryMs = hourMs;

/** Judges alerts; nothing happens by itself. */
export const createEvaluator = (parts: EvaluatorParts, { signal, close } = untilClosed()): Evaluator => {
  const { db, directory, engine, now, log } = parts;
  const [alerts, notes, definitions, rates] = [alertStore(db), noteStore(db), definitionStore(db), rateStore(db)];
  const accounts = accountStore(db);
  const watches = new Map<number, Watch>();
  const makeOwn = ownMaker(parts);
  const tell = teller(parts);
  let madeAt = Number.NEGATIVE_INFINITY;

  const judgeSite = async (site: Site, own: readonly Alert[]): Promise<void> => {
    const account = accounts.byId(site.accountId);
    if (account === undefined) return;
    const view = viewOfSite({ definitions, directory, notes, now }, site, { account, hidden: new Set() });
    // Public pages have the lowest turn of an account; alerts wait behind people as they do.
    const asked = { site, asker: { accountId: site.accountId, isPublic: true }, always: [] };
    const run = runFor({ engine, rates, directory }, asked, signal);
    const known: Watched = { view, run, watches, down: parts.down };
    const onFailed = ({ id }: Alert, error: unknown): void => {
      if (!signal.aborted) log('alert-failed', { alert: id, reason: reasonOf(error) });
    };
    const outcomes = await evaluateSite(own, known, onFailed);
    for (const outcome of outcomes) await tell(outcome, known);
  };

  const turn = async (): Promise<void> => {
    directory.refresh();
    if (now() - madeAt >= ownEveryMs) {
      madeAt = now();
      makeOwn();
    }
    const all = alerts.enabled();
    const ids = new Set(all.map(({ id }) => id));
    for (const id of watches.keys()) if (!ids.has(id)) watches.delete(id);
    for (const [siteId, own] of Map.groupBy(all, of => of.siteId)) {
      if (signal.aborted) return;
      const site = directory.byId(siteId);
      if (site === undefined) continue;
      try {
        await judgeSite(site, own);
      } catch (error) {
        if (signal.aborted) return;
        log('alerts-failed', { site: siteId, reason: reasonOf(error) });
      }
      await wait(restMs);
    }
  };
  return { turn, close };
};

/** Judges each minute. */
export const startEvaluator = (parts: EvaluatorParts): Evaluator => {
  const beside = untilClosed();
  const evaluator = createEvaluator(parts, beside);
  beside.run(async () => {
    while (true) {
      await beside.rest(everyMs);
      await evaluator.turn().catch(error => parts.log('alerts-failed', { reason: reasonOf(error) }));
    }
  });
  return evaluator;
};

/** What each site has, by its name. */
const ownAlerts: Readonly<Record<string, AlertRule>> = {
  Silent: { kind: 'silent', params: { hours: 24 } },
  'Refused hits': { kind: 'refused', params: { hits: 20, percent: 10 } },
};

/** Gives each site its own alerts. They can be switched off, and then stay so. */
const ownMaker = ({ db, directory, now, random, sendsMail }: EvaluatorParts): (() => void) => {
  const alerts = alertStore(db);
  return () => {
    for (const [name, rule] of Object.entries(ownAlerts))
      for (const siteId of alerts.without(rule.kind, hitsForOwn)) {
        if (directory.byId(siteId) === undefined) continue;
        alerts.add({
          ...{ siteId, name, rule, filters: '', channelIds: [] },
          ...{ mailOwners: sendsMail, enabled: true, muteToken: makeToken(random), madeBy: 'server', createdAt: now() },
        });
      }
  };
};

/** Writes what an alert saw, its notes and its messages, in one transaction. */
const teller = ({ db, directory, now, log, baseUrl, sendsMail, wake }: EvaluatorParts) => {
  const [alerts, channels, notes, outbox] = [alertStore(db), channelStore(db), noteStore(db), outboxStore(db)];
  const [accounts, members, persons] = [accountStore(db), memberStore(db), personStore(db)];
  /** Members who may sign in, and see the site and these parts of it. */
  const readersOf = (account: Account, site: Site, parts: readonly HideablePart[]): AlertReader[] =>
    members.ofAccount(account.id).flatMap(member => {
      const grant = teamGrant(account, member);
      const mayRead = covers(grant, site, directory.members) && parts.every(part => !grant.hidden.has(part));
      const person = mayRead ? persons.byId(member.personId) : undefined;
      return person === undefined || person.disabledAt !== null
        ? []
        : [{ email: person.email, isOwner: member.role === 'owner' }];
    });

  const write = db.transaction(({ alert, state }: JudgedAlert, told: readonly ToldAlert[]) => {
    alerts.setState(alert.id, state);
    const isMuted = alert.mutedUntil !== null && alert.mutedUntil > now();
    for (const one of told) {
      const { site, event, window } = one;
      // Goals have no episodes, and a line for each would fill the chart.
      if (event === 'fired' && alert.rule.kind !== 'goal')
        notes.add(site.id, 'alert', wallClock(window.to, site.timezone).slice(0, 10), noteTextFor(one), now());
      if (isMuted) continue;
      const readers = readersOf(one.account, site, one.parts);
      for (const message of messagesOf(one, channels.list(site.accountId), readers, sendsMail))
        outbox.add(message, now());
    }
  });

  return async (outcome: JudgedAlert, known: Watched): Promise<void> => {
    const { alert, state, events } = outcome;
    const { site } = known.view;
    const account = accounts.byId(site.accountId)!;
    const parts = partsOfAlert(alert.rule, alert.filters, known.view);
    const told: ToldAlert[] = [];
    const failed = (error: unknown): [] => {
      log('alert-failed', { alert: alert.id, reason: reasonOf(error) });
      return [];
    };
    for (const { event, judgement, window, contributors: given } of events) {
      const contributors =
        event === 'ended' ? [] : (given ?? (await contributorsOf(alert, known, window).catch(failed)));
      const { episode } = memoryOf(state, now()).episode;
      told.push({ alert, site, account, parts, event, judgement, window, contributors, episode, baseUrl });
    }
    write(outcome, told);
    if (told.length > 0) wake();
  };
};
