/** What a site exported comes back with the visitors that it had, and nobody else chooses who they are. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { IdentityMode } from '../../src/model/site.ts';
import { dayMs, hourMs, utcDayOf } from '../../src/model/time.ts';
import { openDatabase } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { unitedDays } from '../../src/store/day/united-days.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { noon, startCollector } from '../collect/start-collector.ts';
import { temporaryDir } from '../helpers.ts';

const midnight = noon - dayMs / 2;

/** Visits of people a day, `at` hours since the first one's midnight. */
const collect = async (dataDir: string, identityMode: IdentityMode, of: [at: number, who: string][]) => {
  for (const [at, who] of of) {
    const server = await startCollector({ dataDir, site: { identityMode }, now: midnight + at * hourMs });
    const address = `203.0.113.${who.charCodeAt(0)}`;
    // Those with a capital letter refuse cookies.
    const isKnown = who === who.toLowerCase();
    const body = { s: server.site.publicKey, u: 'https://site1.example/', ...(isKnown && { i: who }) };
    assert.is((await server.post(body, { address })).outcome, 'recorded');
    await server.close();
  }
};

/** Of each visit its day, its visitor, whether that lasts and whether it was here on an earlier day. */
const visitsIn = (dataDir: string): string[] => {
  const db = openDatabase(dataDir);
  const found: string[] = [];
  const siteId = sites(db).list()[0]!.id;
  const reader = unitedDays(dayReader(db, 1e6));
  const days = reader.outline(siteId, 0, 4e12).flatMap(part => [...reader.day(siteId, part)]);
  for (const day of days) {
    const [hashes, seen] = [day.hashes(), day.numbers('seenBefore')];
    for (let visit = 0; visit < day.visits; visit++)
      found.push(`${day.day - utcDayOf(noon)} ${hashes[visit]} ${visit >= day.hashVisits} ${seen[visit]}`);
  }
  db.close();
  return found.sort();
};

const visitorsOf = (visits: readonly string[]): number => new Set(visits.map(visit => visit.split(' ')[1])).size;

/** A directory with all visits, a copy that lacks the later ones, and the lines that bring those. */
const twoCopies = async (identityMode: IdentityMode) => {
  const [all, some] = [temporaryDir(), temporaryDir()];
  const before: [number, string][] = [
    [12, 'a'],
    [13, 'b'],
    [25, 'a'],
    [26, 'C'],
  ];
  await collect(all, identityMode, before);
  cpSync(all, some, { recursive: true });
  const later: [number, string][] = [
    [36, 'a'],
    [36, 'b'],
    [37, 'C'],
    [38, 'd'],
    [60, 'a'],
    [61, 'd'],
  ];
  await collect(all, identityMode, later);
  const file = join(temporaryDir(), 'hits');
  const ran = await runCommand(all, ['export', file, '--site', 'site1.example']);
  assert.is(ran.code, 0, ran.stderr);
  type Line = Record<string, string>;
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
    .filter(({ at, visitor }) => visitor !== undefined && Date.parse(at!) >= midnight + 36 * hourMs);
  assert.is(lines.length, later.length);
  return { all, some, lines };
};

const imported = async (to: string, lines: readonly object[]): Promise<string[]> => {
  const dir = temporaryDir();
  cpSync(to, dir, { recursive: true });
  const stdin = lines.map(line => `${JSON.stringify(line)}\n`).join('');
  const ran = await runCommand(dir, ['import', '-', '--site', 'site1.example', '--all'], { stdin });
  assert.is(ran.code, 0, ran.stderr);
  return visitsIn(dir);
};

for (const identityMode of ['hash', 'cookie'] as const) {
  test(`${identityMode} mode: visitors who come back are who they were, and others are not`, async () => {
    const { all, some, lines } = await twoCopies(identityMode);
    const want = visitsIn(all);
    assert.is(want.filter(visit => visit.endsWith('true 1')).length, identityMode === 'cookie' ? 5 : 0);
    assert.equal(await imported(some, lines), want);

    const unproven = await imported(
      some,
      lines.map(({ proof: _, ...line }) => line),
    );
    assert.ok(visitorsOf(unproven) > visitorsOf(want));
    const first = lines[0]!.proof!;
    for (const proof of ['', first.slice(1), `${first[0] === '0' ? '1' : '0'}${first.slice(1)}`])
      assert.equal(
        await imported(
          some,
          lines.map(line => ({ ...line, proof })),
        ),
        unproven,
      );
    // A proof is of one visitor, and of one day unless that lasts.
    const others = lines.map(line => ({
      ...line,
      proof: lines.find(({ visitor }) => visitor !== line.visitor)!.proof,
    }));
    assert.equal(await imported(some, others), unproven);
    const dayAfter = lines.map(line => ({ ...line, at: new Date(Date.parse(line.at!) + 2 * dayMs).toISOString() }));
    const known = new Set(want.map(visit => visit.split(' ')[1]));
    const moved = (await imported(some, dayAfter)).filter(visit => Number(visit.split(' ')[0]) > 2);
    assert.is(moved.filter(visit => known.has(visit.split(' ')[1])).length, identityMode === 'cookie' ? 5 : 0);
  });

  test(`${identityMode} mode: another site takes no proof`, async () => {
    const { some, lines } = await twoCopies(identityMode);
    const db = openDatabase(some);
    db.exec(`update site set visitor_key = 'another'`);
    db.close();
    const plain = lines.map(({ proof: _, ...line }) => line);
    assert.equal(await imported(some, lines), await imported(some, plain));
  });
}

test('a site without a secret proves nothing', async () => {
  const { all, some } = await twoCopies('cookie');
  for (const dir of [all, some]) {
    const db = openDatabase(dir);
    db.exec(`update site set visitor_key = ''`);
    db.close();
  }
  const ran = await runCommand(all, ['export', '-', '--site', 'site1.example']);
  assert.not.match(ran.stdout, /"proof"/);
});

test.run();
