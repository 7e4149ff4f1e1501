/** Goals, segments and funnels of a site. */
import { isDone, json } from '../../http/reply.ts';
import { type DefinitionKind, definitionKinds, definitionPlurals } from '../../model/definitions.ts';
import { definitionIn, noteDefinition, removeDefinition, saveDefinition } from '../changes/definition-changes.ts';
import { reading } from '../changes/fields.ts';
import { refuseManaged } from '../changes/managed.ts';
import { definitionNameOf } from '../definitions.ts';
import { done } from '../operation.ts';
import type { ApiCall } from '../route.ts';
import { integer, nullable, object, type Schema, text } from '../schema.ts';
import type { AdminOperation } from './admin-operation.ts';

const definitionBodies = {
  goal: object({ conditions: text }, { value: nullable(integer) }),
  segment: object({ filters: text }),
  funnel: object({ question: text }),
} as const;

const capital = (word: string): string => word.replace(/^./, first => first.toUpperCase());

export const definitionOperations = definitionKinds.flatMap((kind: DefinitionKind): AdminOperation[] => {
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
