/**
 * `/api/ext/sites/:id/answers`: several questions to `/api/v1` about a site in one request (docs/api.md, "Beyond"). Each gets the answer that it would
 * get by itself, as soon as it is known. All are about the same instant and come in the same turn, so that what they have in common is worked out
 * once; and a browser, which has no more than six requests to a host on their way, asks all that a page shows at once.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { asksPerRequestMax } from '../model/limits.ts';
import type { Endpoint, ParameterNote, Reader } from './endpoint.ts';
import { type JsonReply, json, type Reply } from './reply.ts';
import { isIgnored, ParameterError, unknownParameter } from './request/parameters.ts';
import { count, described, integer, object, type Schema, text } from './schema.ts';

export const answersParameters: Readonly<Record<string, ParameterNote>> = {
  ask: {
    schema: text,
    meaning: `A question as it stands behind the site in a path, such as \`stats?range=7d\`; repeated, up to ${asksPerRequestMax} times`,
  },
};

/** Of a line. */
export const answersSchema: Schema = object({
  ask: described(count, 'Which question, from 0 in their order'),
  status: integer,
  body: described({ type: 'object' }, 'What the answer would have been by itself'),
});

export interface AnswersParts {
  reader: Reader;
  /** By the name they have in a path. */
  endpoints: Readonly<Record<string, Endpoint>>;
  /** What goes back in the place of an answer. */
  refusal(error: unknown): JsonReply;
}

/** Throws ParameterError before it asks anything. */
export const answersTo = (search: URLSearchParams, parts: AnswersParts): Reply => {
  const asks = asksOf(search);
  return {
    status: 200,
    headers: { 'content-type': 'application/x-ndjson; charset=utf-8' },
    body: asTheyCome(asks, parts),
  };
};

const asksOf = (search: URLSearchParams): string[] => {
  const known = Object.keys(answersParameters);
  const given = [...search].filter(([name]) => !isIgnored(name));
  for (const [name] of given) if (!known.includes(name)) throw unknownParameter(name, known);
  if (given.length > asksPerRequestMax) throw new ParameterError({ error: 'too many parameters' });
  return given.map(([, ask]) => ask);
};

/** A line for each answer, and those that come at once in one piece. */
async function* asTheyCome(asks: readonly string[], parts: AnswersParts): AsyncGenerator<string> {
  const ready: string[] = [];
  const pending = new Set<Promise<void>>();
  for (const [i, ask] of asks.entries()) {
    const told = answerTo(ask, parts).then(({ status, body }) => {
      ready.push(`{"ask":${i},"status":${status},"body":${body}}\n`);
      pending.delete(told);
    });
    pending.add(told);
  }
  // What became ready while the piece before was on its way is waited for by nobody.
  while (pending.size > 0 || ready.length > 0) {
    if (ready.length === 0) await Promise.race(pending);
    await nextTurn();
    yield ready.splice(0).join('');
  }
}

const answerTo = async (ask: string, { reader, endpoints, refusal }: AnswersParts): Promise<JsonReply> => {
  const [, name = '', query] = /^(\w+)(?:\?(.*))?$/s.exec(ask) ?? [];
  if (!Object.hasOwn(endpoints, name)) return json(404, { error: 'not found' });
  try {
    return json(200, await endpoints[name]!.answer(reader, new URLSearchParams(query)));
  } catch (error) {
    return refusal(error);
  }
};
