/** Who may ask what: each route names a right, and here it is looked at before anything is done. */
import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { searchOf } from '../http/router.ts';
import { covers, type TeamGrant } from '../model/grant.ts';
import type { Right } from '../model/rights.ts';
import { type Account, isRollup, type Site } from '../model/site.ts';
import type { SiteDirectory } from '../store/sites.ts';
import type { Login } from './sessions.ts';

/**
 * What it takes to use a route: nothing; to be signed in; to be an operator; or a right in a team,
 * which is that of the site in the path, or the one that is named.
 */
export type RouteRight = Right | 'anybody' | 'self' | 'operator';

/** Somebody with a right in a team. */
export interface InTeam extends Login {
  grant: TeamGrant;
  account: Account;
}
/** The same, and the site is one that they may read. */
export interface OnSite extends InTeam {
  site: Site;
}

/** What is known of somebody who may use a route. */
export type Allowed<Path extends string, R extends RouteRight> = R extends 'self' | 'operator'
  ? Login
  : Path extends `${string}/:site${string}`
    ? OnSite
    : InTeam;

/** What is asked, as far as it decides. */
export interface DashboardCall {
  request: IncomingMessage;
  parameters: Readonly<Record<string, string>>;
  directory: Pick<SiteDirectory, 'find' | 'members' | 'refresh'>;
  login(): Login | undefined;
}

/** Throws HttpError for nobody, and for somebody who has to set up a second factor first. */
export const requireLogin = ({ login, request }: Pick<DashboardCall, 'login' | 'request'>): Login => {
  const found = login();
  if (found === undefined) throw new HttpError('app-signed-out');
  if (found.lacksFactor && !setUpPaths.test(request.url ?? '')) throw new HttpError('app-factor-missing');
  return found;
};
/** What somebody may do who still has to set up a second factor. */
const setUpPaths = /^\/app\/(me|account|totp|passkeys|prove)\b/;

/**
 * Who asks, if they may. What is another team's is answered as if it were not there. Throws
 * HttpError. A team that only the body names is not looked at before that is read.
 */
export const allow = <Path extends string, R extends RouteRight>(
  asking: DashboardCall,
  right: R,
  body?: Body,
): Allowed<Path, R> => {
  const login = requireLogin(asking);
  const found = right === 'self' || right === 'operator' ? login : allowInTeam(asking, login, right as Right, body);
  if (right === 'operator' && !login.person.isOperator) throw new HttpError('app-not-allowed');
  return found as Allowed<Path, R>;
};

const allowInTeam = (asking: DashboardCall, login: Login, right: Right, body: Body | undefined): Login => {
  const { site: name, team } = asking.parameters;
  if (name !== undefined) {
    const { grant, site } = siteOf(asking, login, name);
    return { ...login, ...withRight(grant, right), site } as Login;
  }
  const named = team ?? teamIn(asking, body);
  if (named === undefined && asking.request.method === 'POST' && body === undefined) {
    if (!login.grants.some(({ rights }) => rights.has(right))) throw new HttpError('app-not-allowed');
    return login;
  }
  return { ...login, ...withRight(teamOf(login, named), right) } as Login;
};

const withRight = (grant: TeamGrant, right: Right): Pick<InTeam, 'grant' | 'account'> => {
  if (!grant.rights.has(right)) throw new HttpError('app-not-allowed');
  return { grant, account: grant.account };
};

/** A command may have changed sites while the body was read. */
const siteOf = ({ directory }: DashboardCall, { grants }: Login, name: string): { grant: TeamGrant; site: Site } => {
  directory.refresh();
  for (const grant of grants) {
    const site = directory.find(name, grant.account.id);
    if (site !== undefined && covers(grant, site, directory.members)) return { grant, site };
  }
  throw new HttpError('app-no-site');
};

/** The team that the body names, or the address after `?`. */
const teamIn = ({ request }: DashboardCall, body: Body | undefined): string | undefined => {
  if (typeof body?.team === 'string') return body.team;
  return searchOf(request.url).get('team') ?? undefined;
};

/** The team of an id, or the only one. Throws HttpError. */
const teamOf = ({ grants }: Login, uuid: string | undefined): TeamGrant => {
  if (uuid === undefined && grants.length > 1) throw new HttpError('app-which-team', { field: 'team' });
  const found = uuid === undefined ? grants[0] : grants.find(({ account }) => account.uuid === uuid);
  if (found === undefined) throw new HttpError('app-no-team');
  return found;
};

/** All sites and rollups that somebody may read, team by team. */
export const readableSites = (
  { grants }: Pick<Login, 'grants'>,
  directory: Pick<SiteDirectory, 'ofAccount' | 'members'>,
): Site[] =>
  grants.flatMap(grant => directory.ofAccount(grant.account.id).filter(site => covers(grant, site, directory.members)));

/** The site, for what rollups have none of. Throws HttpError. */
export const siteWithHits = ({ site }: Pick<OnSite, 'site'>): Site => {
  if (isRollup(site)) throw new HttpError('app-is-rollup');
  return site;
};
