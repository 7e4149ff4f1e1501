/**
 * A text of visits is added in two places: the list of the model, and the schema with its
 * conversion.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { packageRoot } from '../../src/package-root.ts';
import { headlineOf, topRowsOf } from '../../src/query/usual-questions.ts';
import { schemaVersion } from '../../src/store/conversion.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { addSite, temporaryDatabase, temporaryDir } from '../helpers.ts';
import { firstDay, recordViews } from './views.ts';

/** The sources with one more text of visits, in a directory of their own. */
const sourcesWithUtmId = (): string => {
  const root = temporaryDir();
  for (const name of ['src', 'schema.sql', 'package.json', 'test/store/new-visit-field.ts', 'test/store/views.ts'])
    cpSync(join(packageRoot, name), join(root, name), { recursive: true });
  symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'));
  const edit = (file: string, before: RegExp, text: string): void => {
    const found = readFileSync(join(root, file), 'utf8');
    assert.match(found, before, file);
    writeFileSync(
      join(root, file),
      found.replace(before, match => text + match),
    );
  };
  edit(
    'src/model/visit-fields.ts',
    /^ {2}country: /m,
    `  utmId: shown('Campaign id', 'utm_id of the page', { since: 2 }),\n`,
  );
  edit('schema.sql', /^ {2}screen +integer/m, '  utm_id integer not null default 0,\n');
  const sql = 'alter table visit add column utm_id integer not null default 0';
  writeFileSync(
    join(root, 'src/store/conversion.ts'),
    `export const [schemaVersion, convertedVersion] = [${schemaVersion + 1}, ${schemaVersion}];
     export const conversionOf = () => 'Campaign ids.';
     export function* converting(db) {
       db.exec('begin; ${sql}; pragma user_version = ${schemaVersion + 1}; commit');
     }`,
  );
  return root;
};

const script = 'test/store/new-visit-field.ts';

test('a text of visits is one line in the list and one in the schema: it is recorded, sealed, and read as any other', () => {
  const { dataDir, db } = temporaryDatabase();
  addSite(db);
  recordViews(db, firstDay * dayMs, ['/']);
  sealAll(db, firstDay + 1, 0);
  recordViews(db, (firstDay + 1) * dayMs, ['/?utm_id=unheard-of']);
  db.close();

  const root = sourcesWithUtmId();
  const output = execFileSync(process.execPath, ['--import', 'tsx', join(root, script), dataDir], { cwd: root });
  const { open, later, sealed, columns, problems } = JSON.parse(output.toString());
  assert.is(sealed, 2);
  assert.equal(problems, []);
  assert.ok(columns.includes('utm_id'));
  assert.equal(later, open, 'sealed days read as they did while they were open');
  const [[table, visits], [withSpring], [without]] = open;
  assert.equal(topRowsOf(table), [
    { name: 'spring-7', value: 2, events: 2 },
    { name: 'spring-9', value: 1, events: 1 },
  ]);
  assert.equal(
    JSON.parse(`[${visits.pieces.join('')}]`).map((row: Record<string, unknown>) => row.utmId),
    ['spring-9'],
  );
  assert.is(headlineOf(withSpring).visitors, 2);
  assert.is(headlineOf(without).visitors, 3, 'null on the days before, sealed and open');

  const fresh = execFileSync(
    process.execPath,
    [
      '--import',
      'tsx',
      '-e',
      `import { openDatabase } from './src/store/database.ts';
     const db = openDatabase(process.argv[1]);
     console.log(JSON.stringify(db.prepare("select name from pragma_table_info('visit') order by name").pluck().all()));`,
      temporaryDir(),
    ],
    { cwd: root },
  );
  assert.equal(JSON.parse(fresh.toString()), columns, 'a new database and a converted one have the same columns');
});

test.run();
