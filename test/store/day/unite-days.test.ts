import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../../../src/cli/demo/random.ts';
import { dayMs } from '../../../src/model/time.ts';
import { columnsOf, type Day } from '../../../src/store/day/day.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { partsOf, wholeDay } from '../../../src/store/day/part.ts';
import { withHits } from '../../../src/store/day/some-hits.ts';
import { uniteDays } from '../../../src/store/day/unite-days.ts';
import { flat } from '../../../src/store/day/unpack.ts';
import { type Entry, recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';

const day = 20_000;
const siteDay = { siteId: 1, day };

/** Visitors of both identity modes with some visits each, of some hits each. */
const randomDay = (seed: number): Day => {
  const chance = chanceFrom(seed);
  const entries: Entry[] = [];
  let id = 0;
  for (let i = 0; i < 40; i++) {
    const visitor = Buffer.alloc(8);
    visitor.writeUInt32BE(Math.floor(chance.below(2 ** 32)));
    let at = day * dayMs + chance.below(3_600_000);
    for (let visit = chance.below(3); visit >= 0; visit--, at += 1_800_001 + chance.below(3_600_000)) {
      id++;
      for (let hit = 0; hit <= chance.below(5); hit++, at += chance.below(1_800_000)) {
        const isEvent = chance.below(3) === 0;
        const record = hitRecord({
          ...{ ...siteDay, visitId: id, at, type: isEvent ? 'custom' : 'pageview', path: `/${chance.below(9)}` },
          event: isEvent ? `e${chance.below(3)}` : null,
          properties: isEvent ? [{ key: `k${chance.below(3)}`, type: 'number', value: chance.below(9) }] : [],
        });
        const begun = visitRecord({ ...siteDay, id, visitor, persistent: i % 3 === 0, language: `l${id}` });
        entries.push(recordedEntry(record, hit === 0 ? begun : undefined));
      }
    }
  }
  const { db } = temporaryDatabase();
  addSite(db);
  recorder(db).write(entries);
  const [made] = [...dayReader(db, 0).days(1, 0, 4e12)];
  return made!;
};

const lists = (of: Day): Map<string, unknown[]> =>
  new Map(
    columnsOf(of).map(([name, column]): [string, unknown[]] => {
      if (column.kind === 'hash') return [name, [...column.values]];
      if (column.kind === 'number') return [name, [...flat(column.values)]];
      return [name, Array.from(flat(column.codes), code => column.dictionary[code])];
    }),
  );

test('a day whose hits came in several ways is the day that it would be if they had come one way', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const whole = randomDay(seed);
    const chance = chanceFrom(seed);
    const of = Array.from({ length: whole.hits }, () => chance.below(3));
    const sources = [0, 1, 2].map(source =>
      withHits(
        whole,
        Uint8Array.from(of, one => (one === source ? 1 : 0)),
      ),
    );
    const united = uniteDays(sources, wholeDay);
    assert.is(united.hashVisits, whole.hashVisits);
    assert.equal([united.visits, united.hits, united.firstAt], [whole.visits, whole.hits, whole.firstAt]);
    const [want, found] = [lists(whole), lists(united)];
    for (const [name, values] of want) assert.equal(found.get(name), values, `${name} of ${seed}`);
  }
});

test('its parts are the day together', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const whole = randomDay(seed);
    const isFirst = Uint8Array.from({ length: whole.hits }, (_, hit) => hit % 2);
    const sources = [
      withHits(whole, isFirst),
      withHits(
        whole,
        isFirst.map(flag => 1 - flag),
      ),
    ];
    const parts = partsOf(8).map(part => uniteDays(sources, part));
    const ofParts = parts.flatMap((part, number) => {
      const hashes = [...part.hashes()];
      for (const hash of hashes) assert.is(Number(hash >> 61n), number);
      return hashes;
    });
    assert.equal(ofParts.sort(), [...whole.hashes()].sort());
    const sum = (of: readonly Day[]): number => of.reduce((hits, { hits: more }) => hits + more, 0);
    assert.is(sum(parts), whole.hits);
  }
});

test.run();
