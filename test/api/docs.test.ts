/**
 * The documents say what the program does: every example in docs/api.md is run and its answer compared, and the tables of docs/definitions.md are
 * those of the model. `UPDATE=1` writes both anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apiRoutes } from '../../src/api/routes.ts';
import { channels } from '../../src/model/channels.ts';
import { dimensionNames, dimensions, levelOf } from '../../src/model/dimensions.ts';
import { figures } from '../../src/model/figures.ts';
import { type Metric, metrics } from '../../src/model/metrics.ts';
import { outcomes } from '../../src/model/outcomes.ts';
import { suspectReasons } from '../../src/model/suspects.ts';
import { tableMetrics } from '../../src/model/table-metrics.ts';
import { vitals } from '../../src/model/vitals.ts';
import { packageRoot } from '../../src/package-root.ts';
import { addShop, key, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);

const spaced: Record<string, string> = { ':': ': ', ',': ', ', '{': '{ ', '}': ' }' };

/** JSON with as much on a line as fits. */
const printed = (value: unknown, indent = ''): string => {
  const flat = JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"|\{\}|[:,{}]/g, token => spaced[token] ?? token);
  if (typeof value !== 'object' || value === null || flat.length + indent.length <= 118) return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map(item => inner + printed(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${printed(item, inner)}`);
  const [open, shut] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${lines.join(',\n')}\n${indent}${shut}`;
};

/** What a line of curl answers. */
const run = async (command: string): Promise<string> => {
  const [, header, path, bytes] = /^curl( -H ".*")? "\$DAYBOOK(.*?)"(?: \| head -c (\d+))?$/.exec(command) ?? [];
  assert.ok(path, `not an example: ${command}`);
  assert.is(header ?? '', path === '/api/openapi.json' ? '' : ' -H "Authorization: Bearer $KEY"');
  const got = await api.get(path.replace('$SITE', shop.uuid), { key: header === undefined ? null : key });
  assert.ok(got.status < 500, got.text);
  if (bytes !== undefined) return got.text.slice(0, Number(bytes));
  return got.body === null ? got.text.trimEnd() : printed(got.body);
};

const example = /```sh\n(curl .*)\n```\n\n```(?:json|csv)\n([\s\S]*?)```/g;

/** The text with every example's answer as it is now. */
const withAnswers = async (text: string): Promise<string> => {
  const answers: string[] = [];
  for (const [, command] of text.matchAll(example)) answers.push(await run(command!));
  return text.replace(example, (whole, _, answer: string) => {
    const head = whole.slice(0, whole.length - answer.length - 3);
    return `${head}${answers.shift()}\n\`\`\``;
  });
};

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');

const tables: Record<string, string> = {
  metrics: table(
    ['Name', 'Meaning', 'In the CSV'],
    Object.entries<Metric>(metrics).map(([name, { meaning, label, isNotInSummary }]) => [
      ...[`\`${name}\``, meaning, isNotInSummary ? '' : label],
    ]),
  ),
  'table metrics': table(
    ['Name', 'Meaning', 'In the CSV'],
    Object.entries(tableMetrics).map(([name, { meaning, label }]) => [`\`${name}\``, meaning, label]),
  ),
  dimensions: table(
    ['Name', 'Meaning', 'Of', 'In the CSV'],
    dimensionNames.map(name => {
      const { meaning, section } = dimensions[name];
      return [`\`${name}\``, meaning, `the ${levelOf(name)}`, section ?? ''];
    }),
  ),
  channels: table(
    ['Channel', 'A visit with'],
    channels.map(({ channel, meaning }) => [channel, meaning]),
  ),
  figures: table(
    ['Of', 'Name', 'Meaning'],
    Object.entries(figures).flatMap(([of, rows]) =>
      Object.values(rows).map(({ label, meaning }) => [of, label, meaning]),
    ),
  ),
  vitals: table(
    ['Name', 'Meaning', 'Good up to', 'Poor above'],
    Object.entries(vitals).map(([name, { meaning, good, poor, unit }]) => [
      `\`${name}\``,
      meaning,
      ...[good, poor].map(edge => (unit === null ? String(edge) : `${edge} ${unit}`)),
    ]),
  ),
  suspects: table(
    ['Name', 'Meaning'],
    Object.entries(suspectReasons).map(([name, { meaning }]) => [`\`${name}\``, meaning]),
  ),
  outcomes: table(
    ['Name', 'Status', 'Meaning'],
    Object.entries(outcomes).map(([name, { meaning, status }]) => [`\`${name}\``, String(status), meaning]),
  ),
};

const withTables = (text: string): string =>
  Object.entries(tables).reduce(
    (made, [name, rows]) =>
      made.replace(new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`), `$1${rows}\n$2`),
    text,
  );

const compare = (file: string, made: string, stands: string): void => {
  if (process.env.UPDATE === undefined) assert.fixture(stands, made);
  else writeFileSync(file, made);
};

test('every example in docs/api.md gets the answer that the page shows', async () => {
  const file = join(packageRoot, 'docs/api.md');
  const text = readFileSync(file, 'utf8');
  compare(file, await withAnswers(text), text);
});

test('every path has an example', async () => {
  const text = readFileSync(join(packageRoot, 'docs/api.md'), 'utf8');
  const commands = [...text.matchAll(example)].map(([, command]) => command!);
  const read = apiRoutes.filter(({ method }) => method === 'GET');
  for (const path of read.map(route =>
    route.path.replace(':id', '$SITE').replace(':domain', 'shop.example').replace(':team', 'default'),
  )) {
    assert.ok(
      commands.some(command => command.includes(`"$DAYBOOK${path}"`) || command.includes(`"$DAYBOOK${path}?`)),
      path,
    );
  }
});

test('the tables in docs/definitions.md match the model', () => {
  const file = join(packageRoot, 'docs/definitions.md');
  const text = readFileSync(file, 'utf8');
  for (const name of Object.keys(tables)) assert.ok(text.includes(`<!-- ${name} -->\n`), name);
  compare(file, withTables(text), text);
});

test.after(() => api.close());
test.run();
