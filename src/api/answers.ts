/**
 * `/api/ext/sites/:id/answers`: several questions about a site in one request
 * (docs/api.md, "Beyond"). They are asked as one query about one instant, so what they have in
 * common is worked out once, and a browser needs one of its few connections.
 */
import { HttpError } from '../http/errors.ts';
import { type JsonReply, jsonWithList, type Reply } from '../http/reply.ts';
import { asksPerRequestMax } from '../model/limits.ts';
import { inPieces } from '../model/pieces.ts';
import { askAll, type Run, type Settled } from './ask.ts';
import type { Endpoint, QueryStep, ReadableSite } from './endpoint.ts';
import {
  isIgnored,
  missingParameter,
  ParameterError,
  type RepeatedParameter,
  unknownParameter,
} from './request/parameters.ts';
import { count, described, integer, list, object, type Schema, text } from './schema.ts';

export const answersParameters = {
  ask: {
    schema: { ...list(text, asksPerRequestMax), minItems: 1, examples: [['stats?range=7d', 'ext/table?range=7d']] },
    meaning: `A question as it stands behind the site in a path, or with \`ext/\` before it for one under /api/ext; repeated, up to ${asksPerRequestMax} times`,
    isRequired: true,
    readAll(asks, parameter) {
      if (asks.length === 0) throw missingParameter(parameter);
      if (asks.length > asksPerRequestMax) throw new ParameterError({ error: 'too many parameters', parameter });
      return asks;
    },
  },
} as const satisfies Record<string, RepeatedParameter<readonly string[]>>;

/** Of a line. */
export const answersSchema: Schema = object({
  ask: described(count, 'Position of the question, from 0'),
  status: integer,
  body: described({ type: 'object' }, 'The body that it would have had by itself'),
});

export interface AnswersParts {
  view: ReadableSite;
  run: Run;
  /** By the name they have in a question. */
  endpoints: Readonly<Record<string, Endpoint>>;
  /** What goes out in place of an answer. */
  replyTo(error: unknown): JsonReply;
}

/** Throws ParameterError before it asks anything. */
export const answersTo = (search: URLSearchParams, parts: AnswersParts): Reply => {
  const known = Object.keys(answersParameters);
  const given = [...search].filter(([name]) => !isIgnored(name));
  for (const [name] of given) if (!known.includes(name)) throw unknownParameter(name, known);
  const asks = answersParameters.ask.readAll(
    given.map(([, ask]) => ask),
    'ask',
  );
  const headers = { 'content-type': 'application/x-ndjson; charset=utf-8' };
  return { status: 200, headers, body: answerLines(asks, parts) };
};

/** A line for each answer; those that are known at once go out together. */
async function* answerLines(
  asks: readonly string[],
  { view, run, endpoints, replyTo }: AnswersParts,
): AsyncGenerator<string> {
  const planOf = (ask: string): QueryStep<object> => {
    const [, name = '', query] = /^((?:ext\/)?[\w-]+)(?:\?(.*))?$/s.exec(ask) ?? [];
    if (!Object.hasOwn(endpoints, name)) throw new HttpError('not-found');
    return endpoints[name]!.plan(new URLSearchParams(query), view);
  };
  function* linesOf(settled: readonly Settled<object>[]): Generator<string> {
    for (const one of settled) {
      const { status, body } = 'body' in one ? jsonWithList(one.body) : replyTo(one.error);
      const [first = '', ...others] = typeof body === 'string' ? [`${body}}\n`] : [...body, '}\n'];
      yield `{"ask":${one.position},"status":${status},"body":${first}`;
      yield* others;
    }
  }
  const plans = asks.map(ask => () => planOf(ask));
  for await (const settled of askAll(plans, run)) yield* inPieces(linesOf(settled));
}
