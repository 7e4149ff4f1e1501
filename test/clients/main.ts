/**
 * `npm run test:clients`: clients of other products, as they are published, ask a server of Daybook;
 * only the host is another one.
 *
 *     npm run test:clients [-- --only umami] [--plausible-mcp FOLDER]
 *
 * `--only` takes a part of a name. A client that is on no registry is given by the folder of its
 * source.
 */
import { setPassword, startProgram } from '../compat/fixture.ts';
import { chosen, optionsOf } from '../tools/options.ts';
import { clients } from './clients.ts';
import { installPackages } from './install.ts';
import { plausibleMcp } from './plausible-mcp.ts';

const { only, 'plausible-mcp': folder } = optionsOf(process.argv.slice(2), {}, { only: '', 'plausible-mcp': '' });
const all = [...clients, ...(folder === '' ? [] : [plausibleMcp(folder)])];

for (const client of chosen(all, only)) {
  const program = await startProgram();
  await setPassword(program);
  try {
    await client.run(installPackages(client.packages), program);
    console.log(`${client.name}: as it should be`);
  } catch (error) {
    console.error(`${client.name}: ${(error as Error).stack}`);
    process.exitCode = 1;
  } finally {
    await program.close();
  }
}
