/** Accounts, sites and keys in the form that the app sees. */
import { type ApiKey, isRollup, ownersSite, planRetentionDays, type Site } from '../model/site.ts';
import { isoTime } from '../model/time.ts';
import type { SiteDirectory, Sites } from '../store/sites.ts';
import type { Login } from './sessions.ts';
import type { KeyView, Me, SharedSite, SiteView } from './wire.ts';

export interface Views {
  /** `origin` is where the person sees the dashboard, without a slash at its end. */
  me(login: Login, origin: string): Me;
  site(site: Site, origin: string): SiteView;
}

export interface ViewParts {
  directory: SiteDirectory;
  sites: Sites;
  /** Where browsers reach the collector; null for the dashboard's own address. */
  collectorUrl: () => string | null;
}

export const createViews = ({ directory, sites, collectorUrl }: ViewParts): Views => {
  const site = (site: Site, origin: string): SiteView => {
    const token = sites.shareToken(site.id);
    return {
      ...ownersSite(site),
      isRollup: isRollup(site),
      members: isRollup(site) ? directory.members(site).map(({ uuid }) => uuid) : null,
      tag: `<script defer src="${collectorUrl() ?? origin}/t.js" data-site="${site.publicKey}"></script>`,
      shareUrl: token === null ? null : `${origin}/share/${token}`,
    };
  };
  return {
    me: ({ account, person, lacksFactor }, origin) => ({
      lacksFactor,
      account: {
        name: account.name,
        email: person.email,
        plan: account.plan,
        retentionDays: planRetentionDays[account.plan],
        locale: person.locale,
      },
      sites: directory.ofAccount(account.id).map(owned => site(owned, origin)),
    }),
    site,
  };
};

export const sharedSiteView = (site: Site): SharedSite => ({
  id: site.uuid,
  domain: site.domain,
  timezone: site.timezone,
  currency: site.currency,
  identityMode: site.identityMode,
  publicParts: site.publicParts,
  isRollup: isRollup(site),
});

export const keyView = ({ id, name, lastFour, createdAt, lastUsedAt }: ApiKey): KeyView => ({
  id,
  name,
  lastFour,
  createdAt: isoTime(createdAt),
  lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
});
