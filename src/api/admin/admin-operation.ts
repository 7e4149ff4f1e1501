/** What the operations of a key with the scope `manage` have in common. */
import { HttpError } from '../../http/errors.ts';
import type { Reply } from '../../http/reply.ts';
import type { Right } from '../../model/rights.ts';
import type { By } from '../changes/by.ts';
import type { Operation } from '../operation.ts';
import type { Parameter } from '../request/parameters.ts';
import type { ApiCall, DescribedRoute } from '../route.ts';

/** A parameter of a call's query. Throws ParameterError. */
export const readIn = <T>({ search }: ApiCall, name: string, { read }: Parameter<T>): T =>
  read(search.get(name) ?? undefined, name);

/** All need `manage`. */
export interface AdminOperation extends Operation {
  right: Right;
  tag?: DescribedRoute['tag'];
}

/** Throws HttpError. */
export const need = ({ grant }: By, right: Right): void => {
  if (!grant.rights.has(right)) throw new HttpError('not-allowed');
};

interface TeamOperation extends Omit<AdminOperation, 'answer' | 'tag'> {
  answer(call: ApiCall, by: By): Reply | Promise<Reply>;
}

/** An operation in the team of its path, by a key that has the right there. */
export const inTeam = ({ answer, ...row }: TeamOperation): AdminOperation => ({
  ...row,
  tag: 'teams',
  async answer(call) {
    const allowed = (): By => {
      const by = call.by(call.parameters.team);
      need(by, row.right);
      return by;
    };
    const by = allowed();
    if (row.takes === undefined) return answer(call, by);
    // Whoever asks may lose the right while the body is read.
    const body = await call.body();
    return answer({ ...call, body: async () => body }, allowed());
  },
});
