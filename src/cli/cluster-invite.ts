/** `daybook cluster invite` and `revoke`: the tokens of the other servers of a cluster. */
import { nameOf } from '../model/values.ts';
import { roles } from '../store/control.ts';
import { nodeTokens } from '../store/node-tokens.ts';
import { CommandError, command } from './command.ts';
import { oneOf } from './typed.ts';

const roleOf = oneOf(roles, typed => `${JSON.stringify(typed)} is no role: write collect or answer.`);

export const clusterInvite = command({
  name: 'cluster invite',
  operands: { NAME: nameOf },
  flags: {
    role: { kind: 'text', value: 'ROLE', read: roleOf, required: true, meaning: 'collect or answer' },
  },
  summary: 'Make a token for another server of the cluster',
  details:
    'The token is shown only once: Daybook keeps a digest of it. Give it to the server in the environment as CLUSTER_TOKEN, or name a file of it with CLUSTER_TOKEN_FILE. It is good for daybook collect or for daybook answer, as the role says. One token is for one server, so that daybook cluster revoke can end it alone.',
  database: 'change',
  run: ({ db, now, random }, { operands: { NAME: name }, flags: { role } }) => {
    const token = nodeTokens(db).invite({ name, role }, random, now());
    return {
      json: { name, role, token },
      text: `${token}\n\nThis is the token of ${name}, for daybook ${role}. Copy it now: it will not be shown again.`,
    };
  },
});

export const clusterRevoke = command({
  name: 'cluster revoke',
  operands: { NAME: nameOf },
  summary: 'End the token of a server of the cluster, effective immediately',
  details:
    'The server learns nothing more from this primary. One that answers ends; one that collects goes on taking hits with the settings that it has. Both still know the user and password of ClickHouse: change these, too, where a server was lost to somebody else.',
  database: 'change',
  run: ({ db }, { operands: { NAME: name } }) => {
    const tokens = nodeTokens(db);
    if (!tokens.revoke(name)) {
      const names = tokens.list().map(node => node.name);
      throw new CommandError(
        `There is no server ${name}. ${names.length === 0 ? 'None was invited.' : `There are: ${names.join(', ')}.`}`,
      );
    }
    return { json: { name, revoked: true }, text: `Revoked the token of ${name}.` };
  },
});
