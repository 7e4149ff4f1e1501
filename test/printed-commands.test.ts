/**
 * What docs/operations.md, cluster.md and moving.md print is run as it stands there, by the shell, as the service may: as
 * another user, without privileges, where nothing can be written but the directories that the pages name.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../src/package-root.ts';
import { createCopier } from '../src/store/copies/copier.ts';
import { objects } from '../src/store/copies/objects.ts';
import { openPlace } from '../src/store/copies/open-place.ts';
import { makeChangedPages } from '../src/store/copies/page-watch.ts';
import { openDatabase } from '../src/store/database.ts';
import { runCommand } from './cli/helpers.ts';
import { canMount } from './faults/mounts.ts';
import { temporaryDir } from './helpers.ts';
import { builtProgram } from './tools/build.ts';

/** What stands for the reader's own. */
const own: Readonly<Record<string, string>> = {
  'FILE…': 'export.csv',
  NAME: 'default',
  UUID: '6b0f6a56-3a0e-4f0e-8a6c-0d7c3a1f4b11',
  'prune --undo FILE': 'prune --undo 12',
  '--alias ID': '--alias matomo:1',
};

/** Commands that serve, or that need ClickHouse: others run them (test/release/, test/cluster/). */
const isElsewhere = /^daybook (?:serve|collect|answer|cluster)\b/;

/** Indented lines, and in sentences what is more than the name of a command. */
const printedIn = (page: string): string[] => {
  const lines = [...page.matchAll(/^ {4}(?:npx )?(daybook .+)$/gm)].map(([, line]) => line!);
  const inline = [...page.matchAll(/`(daybook [^`]+)`/g)].map(([, words]) => words!.replace(/\s+/g, ' '));
  const whole = inline.filter(
    words => !/ … /.test(words) && !/^daybook (?:site|backup|site reset|prune --[\w-]+)$/.test(words),
  );
  return [...lines, ...whole].filter(line => !isElsewhere.test(line));
};

const filled = (line: string): string =>
  Object.entries(own).reduce((all, [name, value]) => all.replaceAll(name, value), line);

/** Those that are about a directory or a site that is not there yet. */
const needsNothing = /^daybook (?:site add|restore --data \/var)/;

const umamiRow = (at: string, path: string): string =>
  `w,visitor,visit,${path}${at},example.com,Firefox,Linux,desktop,DE,${path},1,"${at}"\n`;

/** `data` as a server has it that was used for weeks, `place` with its copies, and files that people brought. */
const setStage = async (): Promise<string> => {
  const stage = temporaryDir();
  const [data, place] = [join(stage, 'data'), join(stage, 'place')];
  for (const dir of [data, place, join(stage, 'empty')]) mkdirSync(dir);
  const run = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await runCommand(data, args);
    assert.is(code, 0, stderr);
  };
  await run('site', 'add', 'example.com');
  const hits = ['2026-10-02', '2026-10-03'].flatMap(day => [
    { at: `${day}T10:00:00Z`, hit: { u: 'https://example.com/' } },
    { at: `${day}T10:01:00Z`, hit: { u: 'https://example.com/wp-login' } },
    { at: `${day}T10:02:00Z`, hit: { t: 'identify', u: 'https://example.com/', p: { email: 'ann@example.com' } } },
  ]);
  const file = join(stage, 'hits.ndjson');
  writeFileSync(file, hits.map(hit => `${JSON.stringify({ ...hit, visitor: 'ann' })}\n`).join(''));
  await run('import', file, '--site', 'example.com', '--all');
  const db = openDatabase(data);
  db.prepare("insert into sqlite_sequence (name, seq) values ('rule', 11)").run();
  await run('prune', '--site', 'example.com', '--where', 'path=/wp-login');
  assert.is(db.prepare('select id from rule').pluck().get(), 12);
  db.close();
  const copier = createCopier({
    ...{ dataDir: data, place: openPlace({ to: place, key: null, access: null }), sealed: objects(null) },
    ...{ keep: { minutes: 60, hours: 1, days: 1, months: 1 }, changed: makeChangedPages(), version: '1' },
    owner: { id: 'one', process: 'aa', host: 'here' },
  });
  await copier.round(Date.parse('2026-11-20T09:00:00Z'));
  copier.close();
  const header =
    'website_id,session_id,visit_id,event_id,hostname,browser,os,device,country,url_path,event_type,created_at\n';
  const export_ = [umamiRow('2026-09-01 10:00:00+00', '/a'), umamiRow('2026-09-02 10:00:00+00', '/b')].join('');
  for (const dir of [data, join(stage, 'empty')]) writeFileSync(join(dir, 'export.csv'), header + export_);
  return stage;
};

/** Directories that the pages make and name. */
const writable = ['/var/lib/daybook', '/var/backups/daybook', '/mnt/other-disk/daybook'];

/** Runs a line in a mount namespace of its own, where the root is as the unit of the service leaves it. */
const runAsService = (stage: string, line: string): { status: number | null; said: string } => {
  const at = (path: string): string => path.replace(packageRoot, '/mnt/app');
  const [node, program] = [at(process.execPath), at(builtProgram)];
  // The copies are some days old, which others would complain of.
  const copies = line.startsWith('daybook restore') ? 'BACKUP_TO=/mnt/other-disk/daybook' : '';
  const script = `
    set -e
    mount --make-rprivate /
    mount -t tmpfs -o mode=755 tmpfs /var/backups
    mkdir /var/backups/app /var/backups/stage
    mount --bind '${packageRoot}' /var/backups/app
    mount --bind '${stage}' /var/backups/stage
    mount -t tmpfs -o mode=755 tmpfs /mnt
    mkdir /mnt/app /mnt/stage
    mount --move /var/backups/app /mnt/app
    mount --move /var/backups/stage /mnt/stage
    mount -t tmpfs -o mode=755 tmpfs /var/lib
    mkdir -p ${writable.join(' ')}
    cp -a /mnt/stage/${needsNothing.test(line) ? 'empty' : 'data'}/. /var/lib/daybook
    cp -a /mnt/stage/place/. /mnt/other-disk/daybook
    mount -t tmpfs -o mode=1777 tmpfs /tmp
    for dir in ${writable.join(' ')}; do
      chown -R 65534:65534 $dir
      chmod 700 $dir
      mount --bind $dir $dir
    done
    for dir in / /mnt /var/lib /var/backups; do mount -o remount,bind,ro $dir; done
    cd /var/lib/daybook
    umask 0077
    exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
      env -i PATH=/usr/bin:/bin DAYBOOK_DATA=/var/lib/daybook ${copies} \
      sh -c 'daybook() { ${node} ${program} "$@"; }; eval "$1"' sh "$1"`;
  const ran = spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', line], { encoding: 'utf8', timeout: 60_000 });
  return { status: ran.status, said: `${ran.stdout}${ran.stderr}` };
};

const asRoot = canMount() ? test : test.skip;
if (!canMount()) console.log('  skipped: only root can make a file system read-only for a command');

asRoot('nothing but what the pages name can be written', async () => {
  const stage = await setStage();
  for (const dir of writable) assert.is(runAsService(stage, `touch ${dir}/a`).status, 0, dir);
  for (const dir of ['/', '/etc', '/var/lib', '/mnt/app', '/mnt/stage'])
    assert.match(runAsService(stage, `touch ${dir}/a`).said, /Read-only file system|Permission denied/, dir);
  assert.match(runAsService(stage, `daybook backup /var/lib/other.db`).said, /cannot be written/);
});

asRoot('each command that the pages print runs as the service may', async () => {
  const stage = await setStage();
  const pages = ['operations', 'cluster', 'moving'].map(name =>
    readFileSync(join(packageRoot, 'docs', `${name}.md`), 'utf8'),
  );
  const printed = [...new Set(pages.flatMap(printedIn).map(filled))];
  assert.ok(printed.length > 20, String(printed.length));
  const failed = printed.flatMap(line => {
    const { status, said } = runAsService(stage, line);
    return status === 0 ? [] : [`${line}: ${status} ${said}`];
  });
  assert.equal(failed, []);
});

test.run();
