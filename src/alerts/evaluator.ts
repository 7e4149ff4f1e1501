/** Judges the alerts of all sites each minute, and tells what is to be told. */
import { setTimeout as wait } from 'node:timers/promises';
import { measureOf, partsOfMeasure } from '../api/alerts/measure.ts';
import { runFor } from '../api/ask.ts';
import { viewOfSite } from '../api/site-view.ts';
import type { Log } from '../log.ts';
import { reasonOf } from '../log.ts';
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
import { contributorsOf, evaluateSite, type JudgedAlert, type TimeSpan, type Watched } from './evaluate.ts';
import { memoryOf } from './memory.ts';
import { type AlertReader, messagesOf, noteTextFor, type ToldAlert } from './messages.ts';
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
  hasMail: boolean;
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
/** From so many hits on a site has an alert of silence. */
const hitsForSilent = 100;
const silentEveryMs = hourMs;

/** Judges alerts; nothing happens by itself. */
export const createEvaluator = (parts: EvaluatorParts, { signal, close } = untilClosed()): Evaluator => {
  const { db, directory, engine, now, log } = parts;
  const [alerts, notes, definitions, rates] = [alertStore(db), noteStore(db), definitionStore(db), rateStore(db)];
  const accounts = accountStore(db);
  const watches = new Map<number, Watch>();
  const makeSilent = silentMaker(parts);
  const tell = teller(parts);
  let silentAt = Number.NEGATIVE_INFINITY;

  const judgeSite = async (site: Site, own: readonly Alert[]): Promise<void> => {
    const account = accounts.byId(site.accountId);
    if (account === undefined) return;
    const view = viewOfSite({ definitions, directory, notes, now }, site, { account, hidden: new Set() });
    // Public pages have the lowest turn of an account; alerts wait behind people as they do.
    const asked = { site, asker: { accountId: site.accountId, isPublic: true }, always: [] };
    const run = runFor({ engine, rates, directory }, asked, signal);
    const known: Watched = { view, run, watches, down: parts.down };
    const onFailed = ({ id }: Alert, error: unknown): void =>
      log('alert-failed', { alert: id, reason: reasonOf(error) });
    const outcomes = await evaluateSite(own, known, onFailed);
    for (const outcome of outcomes) await tell(outcome, known);
  };

  const turn = async (): Promise<void> => {
    directory.refresh();
    if (now() - silentAt >= silentEveryMs) {
      silentAt = now();
      makeSilent();
    }
    const all = alerts.enabled();
    const ids = new Set(all.map(({ id }) => id));
    for (const id of watches.keys()) if (!ids.has(id)) watches.delete(id);
    for (const [siteId, own] of bySite(all)) {
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

const bySite = (all: readonly Alert[]): Map<number, Alert[]> => {
  const found = new Map<number, Alert[]>();
  for (const alert of all) {
    const own = found.get(alert.siteId);
    if (own === undefined) found.set(alert.siteId, [alert]);
    else own.push(alert);
  }
  return found;
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

/** Gives each site its alert of silence. It can be switched off, and then stays so. */
const silentMaker = ({ db, directory, now, random, hasMail }: EvaluatorParts): (() => void) => {
  const alerts = alertStore(db);
  return () => {
    for (const siteId of alerts.withoutSilent(hitsForSilent)) {
      if (directory.byId(siteId) === undefined) continue;
      alerts.add({
        ...{ siteId, name: 'Silent', rule: { kind: 'silent', params: { hours: 24 } }, filters: '', channelIds: [] },
        ...{ mailOwners: hasMail, enabled: true, muteToken: makeToken(random), madeBy: 'server', createdAt: now() },
      });
    }
  };
};

/** Writes what an alert saw, its notes and its messages, in one transaction. */
const teller = ({ db, directory, now, log, baseUrl, hasMail, wake }: EvaluatorParts) => {
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
      for (const message of messagesOf(one, channels.list(site.accountId), readers, hasMail))
        outbox.add(message, now());
    }
  });

  return async (outcome: JudgedAlert, known: Watched): Promise<void> => {
    const { alert, state, events } = outcome;
    const { site } = known.view;
    const account = accounts.byId(site.accountId)!;
    const parts = partsOfMeasure(measureOf(alert.rule, alert.filters, known.view));
    const told: ToldAlert[] = [];
    for (const { event, judgement, window } of events) {
      const contributors =
        event === 'ended'
          ? []
          : await contributorsOf(alert, known, window).catch(error => {
              log('alert-failed', { alert: alert.id, reason: reasonOf(error) });
              return [];
            });
      const { episode } = memoryOf(state, now()).episode;
      told.push({ alert, site, account, parts, event, judgement, window, contributors, episode, baseUrl });
    }
    write(outcome, told);
    if (told.length > 0) wake();
  };
};
