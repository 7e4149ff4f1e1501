/** `/provision`: a file of settings as the body of a request. */
import { json } from '../http/reply.ts';
import { type Operation, operation } from './operation.ts';
import { type Parameter, ParameterError } from './request/parameters.ts';
import { described, list, object, oneOf, record, type Schema, text } from './schema.ts';

const dryRun: Parameter<boolean> = {
  schema: oneOf(['1']),
  meaning: 'Change nothing, and answer what would change',
  read(typed, parameter) {
    if (typed === undefined || typed === '1') return typed === '1';
    throw new ParameterError({ error: 'unknown value', parameter, value: typed, allowed: ['1'] });
  },
};

const taken: Schema = {
  ...object({ version: { const: 1 }, teams: list({ type: 'object' }) }),
  description: 'As docs/provisioning.md says, as JSON or YAML, about teams that the key may change',
};
const changed = object({
  changes: list(
    object({
      action: oneOf(['add', 'change', 'remove']),
      path: described(text, 'Where it is, such as `teams shop / sites shop.example / goals Order`'),
      fields: described(record({}), 'Those that change, as they were and as they are; secrets are named alone'),
    }),
  ),
});

const own = { 'dry-run': dryRun };
const provision: Operation = {
  ...{ method: 'POST', path: '/api/ext/provision', name: 'provision', right: 'sites', own, takes: taken },
  gives: changed,
  summary: 'Makes and changes what a file of settings says, all or nothing',
  async answer(call) {
    const isDry = dryRun.read(call.search.get('dry-run') ?? undefined, 'dry-run');
    const on = { by: call.by, endsAt: call.caller.key?.expiresAt ?? null, isDry };
    const changes = await call.settings().apply(await call.text(), on);
    return json(200, { changes });
  },
};

export const provisionRoute = operation({ tag: 'teams', ...provision });
