/** `daybook provision`: sets a server up from a file. */
import { basename } from 'node:path';
import { readConfig } from '../config.ts';
import { provision as apply, diffText } from '../provision/provision.ts';
import { provisioningOf } from '../roles/provisioning.ts';
import { command } from './command.ts';
import { switchFlag } from './flags.ts';

export const provision = command({
  name: 'provision',
  operands: { FILE: String },
  flags: { 'dry-run': switchFlag('Change nothing, and print what would change') },
  summary: 'Set up teams, sites and what belongs to them from a file',
  details: `The file is checked whole, and then applied in one transaction (docs/provisioning.md). Exit code 0: done, or with --dry-run nothing to do;
2: with --dry-run, something would change; 1: the file cannot be used.`,
  database: 'create',
  run: async ({ db, dataDir, env, now, random }, { operands: { FILE: file }, flags }) => {
    const isDry = flags['dry-run'];
    const parts = provisioningOf({ db, config: readConfig(env, { data: dataDir }), env, now, random });
    const { changes } = await apply({ ...parts, file, isDry });
    const nothing = `Nothing to change: all is as ${basename(file)} says.`;
    return {
      json: { changes },
      text: changes.length === 0 ? nothing : diffText(changes),
      ...(isDry && changes.length > 0 && { exitCode: 2 }),
    };
  },
});
