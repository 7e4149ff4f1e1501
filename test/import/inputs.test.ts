/** What files cost that are made to cost: zips whose directories lie, bombs, many files; and how reading stops. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Inputs, openInputs } from '../../src/import/inputs.ts';
import { type FileTable, tableOf } from '../../src/import/tables.ts';
import { runCommand } from '../cli/helpers.ts';
import { temporaryDir } from '../helpers.ts';
import { withDirectory, zipOf } from './zip-file.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const inputsOf = (content: Buffer, signal = new AbortController().signal): Promise<Inputs> => {
  const dataDir = temporaryDir();
  const file = join(dataDir, 'export.zip');
  writeFileSync(file, content);
  return openInputs({ files: [file], names: ['export.zip'], stdin: Readable.from([]), dataDir, signal });
};

/** Bytes of all that is in a file, or why it is refused. */
const readAll = async (content: Buffer): Promise<number | string> => {
  let bytes = 0;
  try {
    for (const input of (await inputsOf(content)).all) for await (const piece of input.bytes()) bytes += piece.length;
    return bytes;
  } catch (error) {
    return (error as Error).message;
  }
};

const named = (count: number, content: (i: number) => string | Buffer): Record<string, string | Buffer> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.csv`, content(i)]));

test('entries of a zip that lie over each other are refused', async () => {
  const zip = zipOf(named(3, i => `day,hits\n${i},1\n`));
  assert.is(await readAll(zip), 39);
  const oneContent = withDirectory(zip, entry => entry.writeUInt32LE(0, 42));
  assert.is(await readAll(oneContent), 'export.zip: its files overlap, as in no proper zip.');
  const intoTheNext = withDirectory(zip, (entry, i) => i === 1 && entry.writeUInt32LE(entry.readUInt32LE(20) + 1, 20));
  assert.is(await readAll(intoTheNext), 'export.zip (1.csv): its files overlap, as in no proper zip.');
  const intoTheDirectory = withDirectory(zip, (entry, i) => i === 2 && entry.writeUInt32LE(4e9, 20));
  assert.is(await readAll(intoTheDirectory), 'export.zip (2.csv): its files overlap, as in no proper zip.');
});

test('all files of a zip together may not unpack to more than a zip does', async () => {
  const newlines = Buffer.alloc(30 * 1024 * 1024, '\n');
  assert.match(
    `${await readAll(zipOf(named(3, () => newlines)))}`,
    /\.csv\): it unpacks to more than 300 times its size/,
  );
  // Packed twice, the bytes between count, too.
  const twice = Buffer.concat(Array.from({ length: 200 }, () => gzipSync(Buffer.alloc(1024 * 1024))));
  assert.match(`${await readAll(zipOf({ 'a.csv.gz': twice }))}`, /it unpacks to more than 300 times its size/);
});

test('what a Mac puts beside the files of a zip is left out', async () => {
  const hidden = Buffer.from([0, 5, 22, 7, 0, 2, 0, 0]);
  const zip = zipOf({ 'x/a.csv': 'a,b\n', '__MACOSX/x/._a.csv': hidden, 'x/.DS_Store': hidden, 'x/b..csv': 'a,b\n' });
  const inputs = await inputsOf(zip);
  assert.equal(
    inputs.all.map(({ name }) => name),
    ['export.zip (x/a.csv)', 'export.zip (x/b..csv)'],
  );
});

test('of files that were looked at, nothing is kept or stays open', async () => {
  const rows = Buffer.alloc(300 * 1024, 'x,y\n');
  const { all } = await inputsOf(zipOf(named(200, i => Buffer.concat([Buffer.from(`a,b\n${i},0\n`), rows]))));
  const inUse = (): number => {
    // Twice: the first may leave memory to be freed a moment later.
    for (const _ of [1, 2]) collectGarbage();
    const { heapUsed, arrayBuffers, external } = process.memoryUsage();
    return heapUsed + arrayBuffers + external;
  };
  const filesOpen = (): number => readdirSync('/proc/self/fd').length;
  const [memory, files] = [inUse(), filesOpen()];
  const tables: FileTable[] = [];
  for (const input of all) tables.push(await tableOf(input));
  // A head has 256 KiB.
  assert.ok(inUse() - memory < 10e6, `${inUse() - memory}`);
  assert.ok(filesOpen() - files < 10, `${filesOpen() - files}`);
  let bytes = 0;
  for await (const chunk of tables[199]!.chunks()) bytes += chunk.bytes.length;
  assert.is(bytes, 'a,b\n199,0\n'.length + rows.length);
});

/** A moment at which something happens: so many turns of the event loop later, or milliseconds. */
type Moment = { turns: number } | { ms: number };
const moments: Moment[] = [...[0, 1, 3, 8].map(turns => ({ turns })), ...[20, 60, 120].map(ms => ({ ms }))];
const at = (moment: Moment, then: () => void): void => {
  if ('ms' in moment) setTimeout(then, moment.ms);
  else setImmediate(() => (moment.turns === 0 ? then() : at({ turns: moment.turns - 1 }, then)));
};

test('an import that is interrupted while it reads says so, at whichever moment', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'example.com']);
  const line =
    '203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 1 "-" "Mozilla/5.0 (X11) Firefox/120.0"\n';
  const log = Buffer.from(line.repeat(2000));
  const files = { 'a.log': log, 'a.zip': zipOf({ 'a.log.gz': gzipSync(log), 'b.log': log }) };
  const paths = Object.entries(files).map(([name, content]) => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  });
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  let interrupted = 0;
  try {
    for (const path of [...paths, '-'])
      for (const moment of moments) {
        const stop = new AbortController();
        at(moment, () => stop.abort());
        const stdin = Readable.from(Array.from({ length: 8 }, () => Buffer.from(log)));
        const ran = await runCommand(dir, ['import', path, '--site', 'example.com', '--dry-run'], {
          stdin,
          signal: stop.signal,
        });
        if (ran.code === 0) continue;
        interrupted++;
        assert.is(
          `${ran.code} ${ran.stderr}`,
          '130 daybook: Interrupted. Nothing is imported.\n',
          `${path} ${JSON.stringify(moment)}`,
        );
      }
    await wait(10);
  } finally {
    process.off('unhandledRejection', note);
  }
  assert.ok(interrupted > 6, `${interrupted}`);
  assert.equal(unhandled, []);
});

test.run();
