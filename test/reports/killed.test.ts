/** A year of Mondays in three zones, with a process that is killed again and again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { zoneOf } from '../../src/api/request/zone.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { nextSending } from '../../src/reports/schedule.ts';
import { addSite, temporaryDir } from '../helpers.ts';
import { headerOf, startSmtp } from '../outbox/smtp-server.ts';
import { bundled } from '../tools/build.ts';
import { addMember, addVisits, openScene } from './scene.ts';

const zones = ['Europe/Berlin', 'Asia/Kathmandu', 'Pacific/Apia'];
const start = Date.UTC(2026, 0, 1);
const weekly = { cadence: 'week', weekday: 1, hour: 8 } as const;

const program = bundled('test/reports/killed-program.ts');

test('each Monday of each zone is mailed once, at its hour, whenever the process is killed', async () => {
  const dataDir = temporaryDir();
  let now = start;
  const clockFile = join(dataDir, 'clock');
  const setClock = (at: number): void => {
    now = at;
    writeFileSync(clockFile, String(at));
  };
  const scene = openScene({ dataDir, now: () => now });
  addMember(scene.db, addSite(scene.db).accountId, 'ada@a.example');
  const sites = zones.map((timezone, i) => addSite(scene.db, { domain: `zone${i}.example`, timezone }));
  for (const site of sites) {
    addVisits(scene.db, site.id, start + 100 * dayMs, 7, { country: 'DE' });
    const given = { name: 'Weekly', recipients: ['ada@a.example'], blocks: ['figures', 'days', 'pages'] };
    scene.keeper.add(scene.viewOf(site), given, { personId: null, name: 'cli' });
  }
  await scene.close();
  const smtp = await startSmtp();
  setClock(start);
  const begin = () =>
    spawn(process.execPath, [program, dataDir, String(smtp.server.port)], { stdio: ['ignore', 'ignore', 'inherit'] });
  let child = begin();
  const restart = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    child = begin();
  };
  const ids = (): Set<string> => new Set(smtp.mails.map(mail => headerOf(mail, 'Message-ID')!));
  try {
    const dues = sites
      .flatMap(({ timezone }) => {
        const all: number[] = [];
        const last = start + 52 * 7 * dayMs;
        for (
          let at = nextSending(weekly, zoneOf(timezone), start);
          at < last;
          at = nextSending(weekly, zoneOf(timezone), at)
        )
          all.push(at);
        return all;
      })
      .toSorted((a, b) => a - b);
    for (const [i, due] of dues.entries()) {
      setClock(due - 1);
      if (i % 8 === 0) await wait(60);
      assert.is(ids().size, i, `nothing before ${new Date(due).toISOString()}`);
      setClock(due);
      // At another step of its work each time.
      if (i % 12 === 5) {
        await wait(i % 60);
        await restart();
      }
      for (let waited = 0; ids().size < i + 1 && waited < 20_000; waited += 5) await wait(5);
      assert.is(ids().size, i + 1, `one more after ${new Date(due).toISOString()}`);
    }
    setClock(dues.at(-1)! + hourMs);
    await wait(200);
    assert.is(ids().size, dues.length);
    const subjects = new Set(smtp.mails.map(mail => headerOf(mail, 'Subject')!));
    assert.is(subjects.size, dues.length, 'each of a period of its own');
    assert.ok(smtp.mails.length <= dues.length + 16, `${smtp.mails.length} mails`);
    assert.ok(dues.length >= 3 * 51);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
    await smtp.close();
  }
});

test.run();
