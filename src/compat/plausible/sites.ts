/**
 * Plausible's Sites API: another form of what keys with the scope `manage` change. Goals are known
 * by their names, and lists of sites are those of /api/v1/sites.
 */
import { addSite, changeSiteBy, removeSite } from '../../api/admin/sites.ts';
import { type By, noteBy } from '../../api/changes/by.ts';
import { removeDefinition, saveDefinition } from '../../api/changes/definition-changes.ts';
import { field, optional, reading, unlessTaken } from '../../api/changes/fields.ts';
import { refuseManaged } from '../../api/changes/managed.ts';
import { definitionNameOf, definitionOf } from '../../api/definitions.ts';
import type { ApiCall, ApiRoute } from '../../api/route.ts';
import { HttpError } from '../../http/errors.ts';
import type { Body } from '../../http/json-body.ts';
import { json, type Reply } from '../../http/reply.ts';
import { makeToken } from '../../model/ids.ts';
import { queryText } from '../../model/query-text.ts';
import type { Right } from '../../model/rights.ts';
import { newShare } from '../../model/share.ts';
import { isRollup, type Site } from '../../model/site.ts';
import { domainOf, nameOf, timezoneOf, ValueError } from '../../model/values.ts';

/** The site that a path or a body names, for somebody with a right. */
const siteNamed = (call: ApiCall, name: unknown, right: Right): { site: Site; by: By } => {
  const by = call.by();
  if (!by.grant.rights.has(right)) throw new HttpError('not-allowed');
  const domain = reading('site_id', () => domainOf(String(name ?? '')));
  const site = call
    .changes()
    .sites.list(by.grant.account.id)
    .find(each => each.domain === domain && !isRollup(each));
  if (site === undefined || by.grant.sites?.has(site.uuid) === false) throw new HttpError('site-not-found');
  return { site, by };
};

const siteJson = ({ domain, timezone }: Site): Reply => json(200, { domain, timezone });

const addOne = async (call: ApiCall): Promise<Reply> => {
  const body = await call.body();
  const timezone = optional(body, 'timezone', timezoneOf);
  return siteJson(addSite(call.changes(), call.by(), field(body, 'domain', domainOf), timezone));
};

const changeOne = async (call: ApiCall): Promise<Reply> => {
  const { domain, timezone } = await call.body();
  const { site, by } = siteNamed(call, call.parameters.site, 'settings');
  const given = { ...(domain !== undefined && { domain }), ...(timezone !== undefined && { timezone }) };
  return siteJson(changeSiteBy(call.changes(), by, site, given));
};

const removeOne = (call: ApiCall): Reply => {
  const { site, by } = siteNamed(call, call.parameters.site, 'reset');
  removeSite(call.changes(), by, site);
  return json(200, { deleted: true });
};

/** What Plausible's goals are here. Throws ValueError. */
const goalOf = ({
  goal_type: type,
  event_name: event,
  page_path: path,
}: Body): { name: string; conditions: string } => {
  // The name stays as people type it, with its operator.
  const filter = (name: string, value: string): string => `${name}${queryText(new URLSearchParams([['', value]]))}`;
  if (type === 'event' && typeof event === 'string') return { name: event, conditions: filter('event', event) };
  if (type !== 'page' || typeof path !== 'string')
    throw new ValueError('A goal is {"goal_type":"event","event_name":…} or {"goal_type":"page","page_path":…}.');
  const [start = '', ...rest] = path.split(/\*+/);
  if (rest.some(part => part !== '')) throw new ValueError('A star may stand at the end of a page_path alone.');
  return { name: `Visit ${path}`, conditions: rest.length > 0 ? filter('path^', start) : filter('path', path) };
};

const putGoal = async (call: ApiCall): Promise<Reply> => {
  const body = await call.body();
  const { site } = siteNamed(call, body.site_id, 'define');
  const { name: typed, conditions } = reading('goal_type', () => goalOf(body));
  const name = reading('event_name', () => definitionNameOf(typed));
  const { definitions } = call.changes();
  if (definitions.find(site.id, 'goal', name) === undefined) {
    const goal = reading('goal_type', () => definitionOf('goal', { conditions }));
    saveDefinition(call.changes(), site.id, 'goal', name, goal);
  }
  const { goal_type, event_name = null, page_path = null } = body;
  return json(200, { domain: site.domain, id: name, display_name: name, goal_type, event_name, page_path });
};

const removeGoal = async (call: ApiCall): Promise<Reply> => {
  const { site } = siteNamed(call, (await call.body()).site_id, 'define');
  const name = call.parameters.goal!;
  refuseManaged(call.changes(), 'goals', site.uuid, name);
  removeDefinition(call.changes(), site.id, 'goal', name);
  return json(200, { deleted: true });
};

const putLink = async (call: ApiCall): Promise<Reply> => {
  const body = await call.body();
  const { site, by } = siteNamed(call, body.site_id, 'share');
  const name = field(body, 'name', nameOf);
  const { shares, now, random } = call.changes();
  const known = shares.ofSite(site.id).find(link => link.name === name);
  const add = () => shares.add(site.id, makeToken(random), { ...newShare, name }, now());
  const { token } = known ?? unlessTaken('name', add);
  if (known === undefined) noteBy(call.changes(), by, 'shared', site.domain, { link: name });
  return json(200, { name, url: `${by.origin}/share/${token}` });
};

const route = (
  method: ApiRoute['method'],
  path: string,
  right: Right,
  answer: (call: ApiCall) => Reply | Promise<Reply>,
): ApiRoute => ({ method, path: `/api/v1/sites${path}`, access: 'paid-plan', right, answer });

export const plausibleSites: readonly ApiRoute[] = [
  route('POST', '', 'sites', addOne),
  route('PUT', '/goals', 'define', putGoal),
  route('DELETE', '/goals/:goal', 'define', removeGoal),
  route('PUT', '/shared-links', 'share', putLink),
  route('GET', '/:site', 'read', call => siteJson(siteNamed(call, call.parameters.site, 'read').site)),
  route('PUT', '/:site', 'settings', changeOne),
  route('DELETE', '/:site', 'reset', removeOne),
];
