/**
 * What a key with the scope `manage` changes: sites, definitions, members and keys, and what an
 * operator's key makes besides. PUT says what is to be under a name, so it can be sent again.
 */
import { HttpError } from '../http/errors.ts';
import { json, type Reply } from '../http/reply.ts';
import { type AuditAction, auditActions, isAuditAction } from '../model/audit.ts';
import { type DefinitionKind, definitionKinds, definitionPlurals } from '../model/definitions.ts';
import { memberParts } from '../model/grant.ts';
import { newSite } from '../model/new-site.ts';
import { type MemberRole, memberRoles } from '../model/person.ts';
import type { Right } from '../model/rights.ts';
import { scopeNames } from '../model/scopes.ts';
import { identityModes, isRollup, ownersSite, plans, type Site } from '../model/site.ts';
import { isoTime } from '../model/time.ts';
import { domainOf, emailOf, nameOf, uuidOf } from '../model/values.ts';
import { type By, type ChangeParts, noteBy } from './changes/by.ts';
import { definitionIn, noteDefinition, removeDefinition, saveDefinition } from './changes/definition-changes.ts';
import { type Body, optional, reading, unlessTaken } from './changes/fields.ts';
import { addKey, keyView, revokeKey } from './changes/key-changes.ts';
import { refuseManaged, refuseManagedSite } from './changes/managed.ts';
import { changeMember, invite, putInvitation, removeInvitation, removeMember } from './changes/member-changes.ts';
import { placeOf, refuseAbove } from './changes/place.ts';
import { changeSite, publicKeyOf, siteLists, siteTexts } from './changes/site-changes.ts';
import { definitionNameOf } from './definitions.ts';
import { done, type Operation, operation } from './operation.ts';
import { type Parameter, ParameterError } from './request/parameters.ts';
import type { ApiCall, DescribedRoute } from './route.ts';
import {
  count,
  described,
  instant,
  integer,
  list,
  nullable,
  object,
  oneOf,
  record,
  type Schema,
  text,
  truth,
  uuid,
} from './schema.ts';

const asGiven = (typed: string | undefined): string | undefined => typed;
const confirmation: Parameter<string | undefined> = {
  ...{ schema: text, meaning: 'The domain once more', isRequired: true, read: asGiven },
};
const beforeRow: Parameter<number | undefined> = {
  schema: count,
  meaning: 'Rows with a smaller id, for the next page',
  read(typed, parameter) {
    if (typed === undefined || /^\d{1,15}$/.test(typed)) return typed === undefined ? undefined : Number(typed);
    throw new ParameterError({ error: 'not a number', parameter, value: typed });
  },
};
const ofAction: Parameter<AuditAction | undefined> = {
  schema: oneOf(auditActions),
  meaning: 'Of this kind alone',
  read(typed, parameter) {
    if (typed === undefined || isAuditAction(typed)) return typed;
    throw new ParameterError({ error: 'unknown action', parameter, value: typed, allowed: [...auditActions] });
  },
};
const readIn = <T>({ search }: ApiCall, name: string, { read }: Parameter<T>): T =>
  read(search.get(name) ?? undefined, name);

const isDone = (): Reply => json(200, { done: true });

const siteListFields = Object.fromEntries(Object.keys(siteLists).map(name => [name, list(text)]));

/** A site with all its settings. */
export const ownersSiteSchema = object({
  ...{ id: uuid, publicKey: text, domain: text, timezone: text, currency: text },
  ...{
    identityMode: oneOf(identityModes),
    createdAt: instant,
    senderHits: nullable(count),
    senderBurst: nullable(count),
    keepDays: nullable(count),
  },
  ...siteListFields,
});
const siteBody = object(
  {},
  {
    ...Object.fromEntries(Object.keys(siteTexts).map(name => [name, text])),
    ...siteListFields,
    id: described(uuid, 'Only when the site is made'),
    publicKey: described(text, 'Likewise: `pk_live_` and 24 letters and digits'),
  },
);
const patchBody = object({}, { ...(siteBody.properties as Record<string, Schema>), domain: text });

/** All need `manage`. */
interface AdminOperation extends Operation {
  right: Right;
  tag?: DescribedRoute['tag'];
}

/** The site of a path by its domain alone: an alias may move to another. */
const siteAt = (call: ApiCall): { site: Site | undefined; domain: string; by: By } => {
  const domain = reading('domain', () => domainOf(call.parameters.domain!));
  const by = call.by();
  const { sites } = call.changes();
  const named = sites.named(by.grant.account.id, domain);
  const site = named && isRollup(named) ? undefined : named;
  const isOthers = site !== undefined && by.grant.sites !== null && !by.grant.sites.has(site.uuid);
  if (isOthers) throw new HttpError('site-not-found');
  return { site, domain, by };
};
const knownSite = (call: ApiCall): { site: Site; by: By } => {
  const { site, by } = siteAt(call);
  if (site === undefined) throw new HttpError('site-not-found');
  return { site, by };
};

const need = ({ grant }: By, right: Right): void => {
  if (!grant.rights.has(right)) throw new HttpError('not-allowed');
};

const changedSite = (call: ApiCall, site: Site, by: By, body: Body): Reply => {
  const changed = changeSite(call.changes(), site, body, by);
  call.changes().directory.reload(site.id);
  const settings = Object.keys(body).slice(0, 20);
  if (settings.length > 0) noteBy(call.changes(), by, 'site-changed', changed.domain, { settings });
  return json(200, ownersSite(changed));
};

/** Adds a site. Throws HttpError. */
export const addSite = (changes: ChangeParts, by: By, domain: string, body: Body): Site => {
  need(by, 'sites');
  const { db, sites, directory, now, random } = changes;
  const { id: uuid, publicKey } = { ...optional(body, 'id', uuidOf), ...optional(body, 'publicKey', publicKeyOf) };
  const given = { accountId: by.grant.account.id, domain, ...(uuid && { uuid }), ...(publicKey && { publicKey }) };
  const site = db
    .transaction(() => {
      const added = unlessTaken('domain', () => sites.add(newSite(given, now(), random)));
      return changeSite(changes, added, body, by);
    })
    .immediate();
  directory.reload(site.id);
  noteBy(changes, by, 'site-added', domain);
  return site;
};

/** Removes a site and all its hits. */
export const removeSite = (changes: ChangeParts, by: By, site: Site): void => {
  need(by, 'reset');
  refuseManagedSite(changes, site);
  changes.sites.remove(site.id);
  changes.directory.reload();
  changes.dropRows();
  noteBy(changes, by, 'site-removed', site.domain);
};

const byDomain = '/api/ext/sites/by-domain/:domain';
const siteOperations: AdminOperation[] = [
  {
    ...{ method: 'GET', path: byDomain, name: 'getSite', right: 'settings', gives: ownersSiteSchema },
    summary: 'A site with all its settings',
    answer: call => json(200, ownersSite(knownSite(call).site)),
  },
  {
    ...{ method: 'PUT', path: byDomain, name: 'putSite', right: 'settings', takes: siteBody, gives: ownersSiteSchema },
    makes: true,
    summary: 'Makes a site, or changes the settings that are given; others stay',
    async answer(call) {
      const body = await call.body();
      const { site, domain, by } = siteAt(call);
      refuseOther(body, 'domain', domain);
      if (site === undefined) return json(201, ownersSite(addSite(call.changes(), by, domain, body)));
      refuseOther(body, 'id', site.uuid);
      refuseOther(body, 'publicKey', site.publicKey);
      const { domain: _, id: __, publicKey: ___, ...settings } = body;
      return changedSite(call, site, by, settings);
    },
  },
  {
    ...{ method: 'PATCH', path: byDomain, name: 'changeSite', right: 'settings', takes: patchBody },
    gives: ownersSiteSchema,
    summary: 'Changes settings of a site, its domain too',
    async answer(call) {
      const body = await call.body();
      const { site, by } = knownSite(call);
      return changedSite(call, site, by, body);
    },
  },
  {
    ...{ method: 'DELETE', path: byDomain, name: 'removeSite', right: 'reset', gives: done },
    summary: 'Removes a site and all its hits',
    own: { confirm: confirmation },
    answer(call) {
      const { site, by } = knownSite(call);
      if (readIn(call, 'confirm', confirmation) !== site.domain)
        throw new HttpError('app-bad-value', { error: `confirm must be ${site.domain}`, field: 'confirm' });
      removeSite(call.changes(), by, site);
      return isDone();
    },
  },
];

/** What PUT does not change: the name in the path, and what was chosen when a site was made. */
const refuseOther = (body: Body, name: string, is: string): void => {
  if (body[name] === undefined || body[name] === is) return;
  throw new HttpError('app-bad-value', { error: `it is ${is}, and PUT does not change it`, field: name });
};

const definitionBodies = {
  goal: object({ conditions: text }, { value: nullable(integer) }),
  segment: object({ filters: text }),
  funnel: object({ question: text }),
} as const;

const capital = (word: string): string => word.replace(/^./, first => first.toUpperCase());

const definitionOperations = definitionKinds.flatMap((kind: DefinitionKind): AdminOperation[] => {
  const path = `/api/ext/sites/:id/${definitionPlurals[kind]}/:name`;
  const common = { path, right: 'define', tag: 'definitions' } as const;
  const nameIn = ({ parameters }: ApiCall): string => reading('name', () => definitionNameOf(parameters.name!));
  const fields = definitionBodies[kind].properties as Record<string, Schema>;
  return [
    {
      ...{ ...common, method: 'PUT', name: `put${capital(kind)}`, takes: definitionBodies[kind], makes: true },
      gives: object({ name: text, ...fields }),
      summary: `Saves a ${kind}`,
      async answer(call) {
        const given = await call.body();
        const { site } = call.site().view;
        const name = nameIn(call);
        // A number in JSON is what a person types as one.
        const value = given.value === null || given.value === undefined ? '' : String(given.value);
        const body = definitionIn(kind, { ...given, value });
        const isNew = call.changes().definitions.find(site.id, kind, name) === undefined;
        refuseManaged(call.changes(), definitionPlurals[kind], site.uuid, name);
        saveDefinition(call.changes(), site.id, kind, name, body);
        noteDefinition(call.changes(), call.by(), site, kind, name, 'saved');
        return json(isNew ? 201 : 200, { name, ...body });
      },
    },
    {
      ...{ ...common, method: 'DELETE', name: `remove${capital(kind)}`, gives: done },
      summary: `Removes a ${kind}`,
      answer(call) {
        const { site } = call.site().view;
        refuseManaged(call.changes(), definitionPlurals[kind], site.uuid, nameIn(call));
        removeDefinition(call.changes(), site.id, kind, nameIn(call));
        noteDefinition(call.changes(), call.by(), site, kind, nameIn(call), 'removed');
        return isDone();
      },
    },
  ];
});

const place = { role: oneOf(memberRoles), sites: nullable(list(text)), hidden: list(oneOf(memberParts)) };
const memberSchema = object(
  { email: text, ...place, isInvited: described(truth, 'Whether they have not accepted yet') },
  { url: described(text, 'The link of a new invitation, which is shown this once') },
);
interface Placed {
  role: MemberRole;
  sites: string[] | null;
  hidden: readonly string[];
}
const memberJson = (email: string, { role, sites, hidden }: Placed, isInvited: boolean, url?: string): object => ({
  ...{ email, role, sites, hidden, isInvited },
  ...(url && { url }),
});

/** Who has an e-mail in a team: a member, or somebody who is invited. */
const memberAt = (call: ApiCall) => {
  const by = call.by(call.parameters.team);
  const { persons, members, invitations, now } = call.changes();
  const accountId = by.grant.account.id;
  const email = reading('email', () => emailOf(call.parameters.email!));
  const person = persons.ofEmail(email);
  const member = person && members.find(accountId, person.id);
  const invitation = invitations.ofAccount(accountId, now()).find(one => one.email === email);
  return { by, email, member, invitation };
};

const putMember = async (call: ApiCall): Promise<Reply> => {
  const body = await call.body();
  const { by, email, member, invitation } = memberAt(call);
  need(by, 'members');
  const changes = call.changes();
  if (member !== undefined) {
    const isSame = isSamePlace(member, placeOf(body, member, by, changes));
    return json(200, memberJson(email, isSame ? member : changeMember(changes, by, member, body), false));
  }
  if (invitation === undefined) {
    const made = invite(changes, by, email, body);
    return json(201, memberJson(email, made.invitation, true, made.url));
  }
  const given = placeOf(body, invitation, by, changes);
  if (isSamePlace(invitation, given)) return json(200, memberJson(email, invitation, true));
  refuseAbove(by, invitation.role, given.role);
  const made = putInvitation(changes, by, { email, ...given });
  return json(200, memberJson(email, made.invitation, true, made.url));
};
const isSamePlace = (a: Placed, b: Placed): boolean =>
  JSON.stringify([a.role, a.sites, a.hidden]) === JSON.stringify([b.role, b.sites, b.hidden]);

const memberOperations: AdminOperation[] = [
  {
    ...{ method: 'GET', path: '/api/ext/teams/:team/members', name: 'listMembers', right: 'members' },
    ...{ tag: 'teams', gives: object({ data: list(memberSchema) }) },
    summary: 'Members of a team, and who is invited',
    answer(call) {
      const by = call.by(call.parameters.team);
      need(by, 'members');
      const { members, invitations, persons, now } = call.changes();
      const { id } = by.grant.account;
      const emailOfMember = (personId: number): string => persons.byId(personId)!.email;
      const data = [
        ...members.ofAccount(id).map(one => memberJson(emailOfMember(one.personId), one, false)),
        ...invitations.ofAccount(id, now()).map(one => memberJson(one.email, one, true)),
      ];
      return json(200, { data });
    },
  },
  {
    ...{ method: 'PUT', path: '/api/ext/teams/:team/members/:email', name: 'putMember', right: 'members' },
    ...{ tag: 'teams', takes: object({}, place), gives: memberSchema, makes: true },
    summary: 'Invites somebody, or changes what they are and see',
    answer: putMember,
  },
  {
    ...{ method: 'DELETE', path: '/api/ext/teams/:team/members/:email', name: 'removeMember', right: 'members' },
    ...{ tag: 'teams', gives: done },
    summary: 'Takes somebody out of a team, or an invitation back',
    answer(call) {
      const { by, member, invitation } = memberAt(call);
      need(by, 'members');
      if (member !== undefined) removeMember(call.changes(), by, member, {});
      else if (invitation !== undefined) removeInvitation(call.changes(), by, invitation);
      else throw new HttpError('app-no-member');
      return isDone();
    },
  },
];

const keyFields = {
  ...{ id: count, name: text, lastFour: text, scopes: list(oneOf(scopeNames)), sites: nullable(list(text)) },
  ...{ expiresAt: nullable(instant), createdAt: instant, lastUsedAt: nullable(instant) },
};
const keyOperations: AdminOperation[] = [
  {
    ...{ method: 'GET', path: '/api/ext/teams/:team/keys', name: 'listKeys', right: 'keys', tag: 'teams' },
    gives: object({ data: list(object(keyFields)) }),
    summary: 'API keys of a team',
    answer(call) {
      const by = call.by(call.parameters.team);
      need(by, 'keys');
      return json(200, { data: call.changes().keys.list(by.grant.account.id).map(keyView) });
    },
  },
  {
    ...{ method: 'POST', path: '/api/ext/teams/:team/keys', name: 'addKey', right: 'keys', tag: 'teams' },
    takes: object({ name: text }, { scopes: list(oneOf(scopeNames)), sites: list(text), days: text }),
    gives: object({ ...keyFields, key: described(text, 'The key itself, which is shown this once') }),
    summary: 'Makes an API key',
    async answer(call) {
      const body = await call.body();
      const by = call.by(call.parameters.team);
      need(by, 'keys');
      const { added, key } = addKey(call.changes(), by, body);
      noteBy(call.changes(), by, 'key-added', added.name);
      return json(200, { ...keyView(added), key });
    },
  },
  {
    ...{ method: 'DELETE', path: '/api/ext/teams/:team/keys/:key', name: 'revokeKey', right: 'keys', tag: 'teams' },
    gives: done,
    summary: 'Revokes an API key, effective immediately',
    answer(call) {
      const by = call.by(call.parameters.team);
      need(by, 'keys');
      noteBy(call.changes(), by, 'key-revoked', revokeKey(call.changes(), by.grant.account, call.parameters.key).name);
      return isDone();
    },
  },
];

const auditRowsMax = 100;
const teamOperations: AdminOperation[] = [
  {
    ...{ method: 'PUT', path: '/api/ext/teams/:team', name: 'putTeam', right: 'members', tag: 'teams', makes: true },
    gives: object({ id: text, name: text, plan: oneOf(plans), createdAt: instant }),
    summary: 'Makes a team, whose owner is the operator who made the key',
    answer(call) {
      const { db, accounts, members, now } = call.changes();
      const { person, ...by } = call.operator();
      const name = reading('team', () => nameOf(call.parameters.team!));
      const shown = ({ uuid: id, plan, createdAt }: ReturnType<typeof accounts.add>) => ({
        ...{ id, name, plan, createdAt: isoTime(createdAt) },
      });
      const known = accounts.list().find(account => account.name === name);
      if (known !== undefined) return json(200, shown(known));
      const everything = { sites: null, hidden: [], createdAt: now() };
      const team = db
        .transaction(() => {
          const account = accounts.add(name, 'unlimited', now());
          members.set({ accountId: account.id, personId: person.id!, role: 'owner', ...everything });
          return account;
        })
        .immediate();
      noteBy(call.changes(), { ...by, person, grant: { ...by.grant, account: team } }, 'team-added', name);
      return json(201, shown(team));
    },
  },
  {
    ...{ method: 'GET', path: '/api/ext/teams/:team/audit', name: 'listAudit', right: 'audit', tag: 'teams' },
    own: { before: beforeRow, action: ofAction },
    gives: object({
      data: list(
        object({
          ...{ id: count, at: instant, actor: text, action: text, subject: text, network: text },
          details: record({}),
        }),
        auditRowsMax,
      ),
    }),
    summary: 'What was done in a team, the newest first',
    answer(call) {
      const by = call.by(call.parameters.team);
      need(by, 'audit');
      const filter = { before: readIn(call, 'before', beforeRow), action: readIn(call, 'action', ofAction) };
      const rows = call.changes().audit.list({ ...filter, accountId: by.grant.account.id, limit: auditRowsMax });
      const data = rows.map(({ id, at, actor, action, subject, details, network }) => ({
        ...{ id, at: isoTime(at), actor, action, subject, details, network },
      }));
      return json(200, { data });
    },
  },
];

/** Paths by domain come first: an id is any text. */
export const adminRoutes: readonly DescribedRoute[] = [
  ...siteOperations,
  ...definitionOperations,
  ...teamOperations,
  ...memberOperations,
  ...keyOperations,
].map(row => operation({ tag: 'sites', ...row }));
