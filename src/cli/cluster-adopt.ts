/** `daybook cluster adopt`: makes a primary the one of servers that have another’s state. */
import { controlTags } from '../store/control-tags.ts';
import { command } from './command.ts';
import { counted } from './format.ts';

export const clusterAdopt = command({
  name: 'cluster adopt',
  flags: {},
  summary: 'Let servers that this primary refused take its settings',
  details:
    'A collector or answering server takes sites, keys and settings only from a primary that knows what it has already. So a primary that was restored from an older copy refuses them, and Health and the log say state-unknown. Look whether this primary has the sites that it should. Then run this: the refused servers take what is here. Settings that were made after the copy are lost; hits are not.',
  database: 'change',
  run: async ({ db, random }) => {
    const adopted = controlTags(db, random).adopt();
    const text =
      adopted === 0
        ? 'No server was refused: there is nothing to adopt.'
        : `Adopted ${counted(adopted, 'state')}: the servers that have one take the settings of this primary within seconds.`;
    return { json: { adopted }, text };
  },
});
