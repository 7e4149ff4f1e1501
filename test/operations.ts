/**
 * The tables of docs/operations.md that come from the code: the settings, and what is promised for each fault. `npm run docs` writes them;
 * test/operations.test.ts holds the page against them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingNames, settings } from '../src/config.ts';
import { packageRoot } from '../src/package-root.ts';
import { faults } from './faults/faults.ts';
import { markdownTable, withSection } from './tools/results.ts';

export const operationsFile = join(packageRoot, 'docs', 'operations.md');

/** The page with both tables as they are now. */
export const operationsPage = (page: string): string =>
  withSection(withSection(page, 'settings', settingsTable()), 'faults', faultsTable());

const settingsTable = (): string =>
  markdownTable(
    ['Variable', 'Default', 'Meaning'],
    settingNames.map(name => {
      const { env, initial, shown, meaning } = settings[name];
      return [`\`${env}\``, shown ?? (initial === null ? '' : `\`${initial}\``), meaning];
    }),
  );

const faultsTable = (): string =>
  markdownTable(
    ['What happens', 'What Daybook does'],
    [
      ['kill -9, power cut', 'Every acknowledged hit is there, none twice. The next start goes on.'],
      ...faults.map(({ name, outcome }) => [`${name[0]!.toUpperCase()}${name.slice(1)}`, outcome]),
    ],
  );

if (process.argv[1] === import.meta.filename) {
  writeFileSync(operationsFile, operationsPage(readFileSync(operationsFile, 'utf8')));
}
