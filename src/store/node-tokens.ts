/** Of a primary: the tokens of the other servers of its cluster, each with a name and a role. */
import type { Random } from '../model/ids.ts';
import { digestOf } from './accounts/digest.ts';
import type { Role } from './control.ts';
import type { Database } from './database.ts';
import { orUniqueViolation } from './unique-violation.ts';

/** Whom a token was made for. */
export interface InvitedNode {
  name: string;
  role: Role;
}

const prefix = 'dbn_';

export const nodeTokens = (db: Database) => {
  const insert = db.prepare(
    'insert into node_token (name, role, digest, created_at) values (@name, @role, @digest, @now)',
  );
  const find = db.prepare('select name, role from node_token where digest = ?');
  const remove = db.prepare('delete from node_token where name = ?');
  const all = db.prepare('select name, role from node_token order by name');
  return {
    /**
     * Makes a token, which is shown once: its digest is kept. StoreError where the name is taken.
     */
    invite(node: InvitedNode, random: Random, now: number) {
      const token = prefix + Buffer.from(random(32)).toString('base64url');
      const taken = `There is a server ${node.name} already: daybook cluster revoke ${node.name} ends its token.`;
      orUniqueViolation(
        () => insert.run({ ...node, digest: digestOf(token), now }),
        () => taken,
      );
      return token;
    },
    /** Whose a token is; undefined for one that is nobody's. */
    nodeOf: (token: string) => find.get(digestOf(token)) as InvitedNode | undefined,
    /** From now on the token is nobody's; false where there is none of the name. */
    revoke: (name: string) => remove.run(name).changes > 0,
    list: () => all.all() as InvitedNode[],
  };
};
