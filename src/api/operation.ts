/** Operations that take no filters: what they take and give is JSON, or parameters of their own. */
import type { Reply } from '../http/reply.ts';
import type { Right } from '../model/rights.ts';
import { type OwnParameters, refuseParameters } from './request/parameters.ts';
import type { ApiCall, DescribedRoute } from './route.ts';
import { object, type Schema, truth } from './schema.ts';

export type Operation = Pick<DescribedRoute, 'method' | 'path' | 'name' | 'summary'> & {
  /** What it takes; reading where nothing is said. */
  right?: Right;
  own?: OwnParameters;
  takes?: Schema;
  gives: Schema;
  /** Whether it may make something, which is answered 201. */
  makes?: true;
  answer(call: ApiCall): Reply | Promise<Reply>;
};

/** The route of an operation, which refuses parameters that it does not know. */
export const operation = ({ gives, ...row }: Operation & Pick<DescribedRoute, 'tag'>): DescribedRoute => ({
  ...row,
  access: 'paid-plan',
  response: { content: { 'application/json': { schema: gives } } },
  answer(call) {
    refuseParameters(call.search, row.own);
    return row.answer(call);
  },
});

/** What answers where there is nothing else to say. */
export const done = object({ done: truth });
