/** Goals, segments and funnels of a site: lists, saves, renames and removes them. */
import { definitionIn, noteDefinition, removeDefinition, saveDefinition } from '../api/changes/definition-changes.ts';
import { field, optional, unlessTaken } from '../api/changes/fields.ts';
import { refuseManaged } from '../api/changes/managed.ts';
import { afterRename, definitionNameOf, definitionsOf, segmentFilters, shownDefinitions } from '../api/definitions.ts';
import { shownFunnels } from '../api/funnel.ts';
import { HttpError } from '../http/errors.ts';
import {
  type DefinitionBodies,
  type DefinitionKind,
  definitionKinds,
  definitionPlurals,
} from '../model/definitions.ts';
import { ValueError } from '../model/values.ts';
import type { OnSite } from './allow.ts';
import { byOf } from './by.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, get, ok, post } from './route.ts';
import type { DefinitionLists } from './wire.ts';

export const definitionRoutes = (parts: AppParts): DashboardRoute[] => {
  const { definitions } = parts;
  const { keepingShared, refuseHidden, shownTo } = guards(parts);
  const listsOf = (on: OnSite) => {
    const { goal, segment, funnel } = shownTo(on);
    const named = <Body extends object>({ name, body }: { name: string; body: Body }) => ({ name, ...body });
    return ok<DefinitionLists>({
      goals: goal.map(named),
      segments: segment.map(named),
      funnels: funnel.map(named),
    });
  };

  return [
    get('/app/sites/:site/definitions', 'read', (_, on) => listsOf(on)),

    post('/app/sites/:site/definitions', 'define', (call, on) => {
      const { id } = on.site;
      const kind = field(call.body, 'kind', kindOf);
      const name = field(call.body, 'name', definitionNameOf);
      const body = definitionIn(kind, call.body);
      const { newName = name } = optional(call.body, 'newName', definitionNameOf);
      refuseHidden(on, kind, name);
      refuseManaged(parts, definitionPlurals[kind], on.site.uuid, name);
      keepingShared(on, () => {
        if (newName !== name)
          rename(() => definitions.rename(id, kind, name, newName, body => renamed(body, kind, name, newName)));
        saveDefinition(parts, id, kind, newName, body);
      });
      noteDefinition(parts, byOf(parts, call, on), on.site, kind, newName, 'saved');
      return listsOf(on);
    }),

    post('/app/sites/:site/definitions/remove', 'define', (call, on) => {
      const { id } = on.site;
      const kind = field(call.body, 'kind', kindOf);
      const name = field(call.body, 'name', definitionNameOf);
      refuseHidden(on, kind, name);
      refuseManaged(parts, definitionPlurals[kind], on.site.uuid, name);
      keepingShared(on, () => removeDefinition(parts, id, kind, name));
      noteDefinition(parts, byOf(parts, call, on), on.site, kind, name, 'removed');
      return listsOf(on);
    }),
  ];
};

/** What keeps people from changing what they do not see, or more than they may. */
const guards = ({ db, definitions, shares }: AppParts) => {
  /**
   * Changes definitions, but not what a link to a public page shows, where somebody makes no links.
   */
  const keepingShared = ({ site, grant }: OnSite, change: () => void): void => {
    const shown = (): string => {
      const all = definitionsOf(definitions, site.id);
      const linked = shares.ofSite(site.id).map(({ segment }) => segment && segmentFilters(segment, all));
      return JSON.stringify(linked.map(filters => filters ?? null));
    };
    db.transaction(() => {
      const before = shown();
      change();
      if (!grant.rights.has('share') && shown() !== before) throw new HttpError('app-not-allowed');
    }).immediate();
  };
  /** Those that tell nothing of what is hidden from the person. */
  const shownTo = ({ site, grant: { hidden } }: OnSite) => {
    const all = definitionsOf(definitions, site.id);
    return {
      goal: shownDefinitions('goal', all, hidden),
      segment: shownDefinitions('segment', all, hidden),
      funnel: hidden.has('funnels') ? [] : shownFunnels({ definitions: all, hidden }),
    };
  };
  /** What is hidden from somebody is not there for them to change. Throws HttpError. */
  const refuseHidden = (on: OnSite, kind: DefinitionKind, name: string): void => {
    const isOf = (each: { name: string }): boolean => each.name === name;
    const isThere = definitions.list(on.site.id, kind).some(isOf);
    if (isThere && !shownTo(on)[kind].some(isOf)) throw missing();
  };
  return { keepingShared, refuseHidden, shownTo };
};

/** No definition names a funnel. */
const renamed = <K extends DefinitionKind>(
  body: DefinitionBodies[K],
  kind: DefinitionKind,
  from: string,
  to: string,
): DefinitionBodies[K] => (kind === 'funnel' ? body : afterRename(body, kind, from, to));

const kindOf = (typed: string): DefinitionKind => {
  const kind = definitionKinds.find(each => each === typed);
  if (kind === undefined) throw new ValueError(`A definition is one of ${definitionKinds.join(', ')}.`);
  return kind;
};

const missing = (): HttpError => new HttpError('app-no-definition');

const rename = (work: () => boolean): void => {
  if (!unlessTaken('name', work)) throw missing();
};
