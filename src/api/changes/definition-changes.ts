/** Goals, segments and funnels as people, keys and files save them. */
import { HttpError } from '../../http/errors.ts';
import type { Body } from '../../http/json-body.ts';
import {
  type DefinitionBodies,
  type DefinitionKind,
  definitionPlurals,
  definitionsMax,
} from '../../model/definitions.ts';
import type { Site } from '../../model/site.ts';
import { definitionOf } from '../definitions.ts';
import { type By, type ChangeParts, noteBy } from './by.ts';
import { reading } from './fields.ts';

/** What people see as wrong where a definition cannot be read. */
export const definitionText = { goal: 'conditions', segment: 'filters', funnel: 'question' } as const;

/** What a body says of a definition. Throws HttpError that names the field. */
export const definitionIn = <K extends DefinitionKind>(kind: K, body: Body): DefinitionBodies[K] =>
  reading(definitionText[kind], () => definitionOf(kind, textsOf(body)));

const textsOf = (body: Body): Record<string, string> =>
  Object.fromEntries(Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/** Saves a definition under its name. Throws HttpError where a site has as many as it may. */
export const saveDefinition = <K extends DefinitionKind>(
  { definitions, now }: Pick<ChangeParts, 'definitions' | 'now'>,
  siteId: number,
  kind: K,
  name: string,
  body: DefinitionBodies[K],
): void => {
  if (definitions.set(siteId, kind, name, body, now())) return;
  throw new HttpError('app-bad-value', {
    error: `A site has at most ${definitionsMax} ${definitionPlurals[kind]}.`,
    field: 'name',
  });
};

/** Writes down that a definition was saved or removed. */
export const noteDefinition = (
  parts: Pick<ChangeParts, 'auditor'>,
  by: By,
  { domain }: Site,
  kind: DefinitionKind,
  name: string,
  done: 'saved' | 'removed',
): void => noteBy(parts, by, 'site-changed', domain, { [kind]: name, done });

/** Throws HttpError where there is none of that name. */
export const removeDefinition = (
  { definitions }: Pick<ChangeParts, 'definitions'>,
  siteId: number,
  kind: DefinitionKind,
  name: string,
): void => {
  if (!definitions.remove(siteId, kind, name)) throw new HttpError('app-no-definition');
};
