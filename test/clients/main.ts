/**
 * `npm run test:clients`: clients of other products, as they are published, send to a server of
 * Daybook or ask it; only the host is another one.
 *
 *     npm run test:clients [-- --only umami] [--plausible-mcp FOLDER] [--goatcounter FILE]
 *
 * `--only` takes a part of a name. A client that is on no registry is given by the folder of its
 * source, and GoatCounter's script by its file.
 */
import { setPassword, startProgram } from '../compat/fixture.ts';
import { chosen, optionsOf } from '../tools/options.ts';
import { clients } from './clients.ts';
import { installPackages } from './install.ts';
import { plausibleMcp } from './plausible-mcp.ts';
import { goatcounterScript } from './trackers.ts';

const {
  only,
  'plausible-mcp': folder,
  goatcounter,
} = optionsOf(process.argv.slice(2), {}, { only: '', 'plausible-mcp': '', goatcounter: '' });
const all = [
  ...clients,
  ...(folder === '' ? [] : [plausibleMcp(folder)]),
  ...(goatcounter === '' ? [] : [goatcounterScript(goatcounter)]),
];

for (const client of chosen(all, only)) {
  const program = await startProgram();
  await setPassword(program);
  try {
    await client.run(installPackages(client.packages), program);
    console.log(`${client.name}: as it should be`);
  } catch (error) {
    const { stack, details = '' } = error as Error & { details?: string };
    console.error(`${client.name}: ${stack}\n${details}`);
    process.exitCode = 1;
  } finally {
    await program.close();
  }
}
