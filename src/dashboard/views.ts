/** People, teams, sites and keys in the form that the app sees. */

import { type ManagedParts, managedSite } from '../api/changes/managed.ts';
import { type JsonReply, json } from '../http/reply.ts';
import { hiddenOfShare, type TeamGrant } from '../model/grant.ts';
import type { Person } from '../model/person.ts';
import { isRollup, ownersSite, planRetentionDays, type Site } from '../model/site.ts';
import { trackingTag } from '../model/tracking-tag.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { readableSites } from './allow.ts';
import type { Login } from './sessions.ts';
import type { SharedPage } from './share-door.ts';
import type { Me, PersonView, SharedSite, SiteView, TeamView } from './wire.ts';

export type Views = ReturnType<typeof createViews>;

export interface ViewParts extends ManagedParts {
  directory: SiteDirectory;
  /** Where browsers reach the collector; null for the dashboard's own address. */
  collectorUrl: () => string | null;
}

export const createViews = (parts: ViewParts) => {
  const { directory, collectorUrl } = parts;
  const managedView = (site: Site): SiteView['managed'] => {
    const row = managedSite(parts, site);
    return row === undefined ? null : { file: row.file, fields: [...row.fields] };
  };
  const site = (site: Site, origin: string, { account, rights, hidden }: TeamGrant): SiteView => {
    return {
      ...ownersSite(rights.has('settings') ? site : { ...site, ...noSettings }),
      team: account.uuid,
      hidden: [...hidden],
      isRollup: isRollup(site),
      managed: managedView(site),
      members: isRollup(site) ? directory.members(site).map(({ uuid }) => uuid) : null,
      tag: trackingTag(collectorUrl() ?? origin, site.publicKey),
    };
  };
  return {
    /** `origin` is where the person sees the dashboard, without a slash at its end. */
    me: (login: Login, origin: string): Me => ({
      lacksFactor: login.lacksFactor,
      person: personView(login.person),
      teams: login.grants.map(teamView),
      sites: login.grants.flatMap(grant =>
        readableSites({ grants: [grant] }, directory).map(each => site(each, origin, grant)),
      ),
    }),
    /** A site by its id, as a member sees it. */
    siteReply: (uuid: string, origin: string, { grant }: { grant: TeamGrant }): JsonReply =>
      json(200, site(directory.find(uuid)!, origin, grant)),
  };
};

/** What is in settings that somebody may not change is not shown to them either. */
const noSettings = {
  ...{ aliases: [], excludedIps: [], excludedPaths: [], embedHosts: [], leftOut: [] },
  ...{ allowedHosts: [], excludedCountries: [], senderHits: null, senderBurst: null, keepDays: null },
} satisfies Partial<Site>;

const personView = ({ uuid, email, name, locale, isOperator }: Person): PersonView => ({
  ...{ id: uuid, email, name, locale, isOperator },
});

const teamView = ({ account, role, rights, hidden }: TeamGrant): TeamView => ({
  id: account.uuid,
  name: account.name,
  role,
  rights: [...rights],
  hidden: [...hidden],
  plan: account.plan,
  requireSecondFactor: account.secondFactor,
  retentionDays: planRetentionDays[account.plan],
});

export const sharedPageView = ({ share, site }: Pick<SharedPage, 'share' | 'site'>): SharedSite => ({
  id: site.uuid,
  domain: site.domain,
  timezone: site.timezone,
  currency: site.currency,
  identityMode: site.identityMode,
  hidden: [...hiddenOfShare(share)],
  isRollup: isRollup(site),
  ...(share.segment !== null && { isOfSegment: true }),
});
