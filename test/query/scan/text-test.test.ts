/** Texts tested in blocks pass exactly when each passes by itself, and are read once for all questions. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { QueryContext } from '../../../src/query/context.ts';
import type { FieldFilter } from '../../../src/query/query.ts';
import { matches } from '../../../src/query/scan/match.ts';
import { testTexts } from '../../../src/query/scan/text-test.ts';
import { openReader } from '../../../src/store/database.ts';
import { createByteCache } from '../../../src/store/day/byte-cache.ts';
import { textReader, textWriter } from '../../../src/store/texts.ts';
import { addSite, temporaryDatabase } from '../../helpers.ts';

/** Odd ones stand far apart, so that most blocks of texts have none. */
const textOf = (i: number): string => {
  const odd = [
    'Größe ΑΣ',
    'ΑΣ\u0307x',
    'İstanbul',
    '273 K',
    'two\nlines',
    'trailing\n',
    '100% _a_',
    '\u0000nul',
    '😀 page-7',
  ];
  return i % 997 === 5
    ? `${odd[Math.floor(i / 997) % odd.length]} ${i}`
    : `/shop/Page-${i}/${i % 7 === 0 ? 'Sale' : 'view'}`;
};
const count = 12_000;

const filters: Pick<FieldFilter, 'operator' | 'values'>[] = [
  { operator: 'contains', values: ['pAgE-12'] },
  { operator: 'contains', values: ['σ'] },
  { operator: 'contains', values: ['ς', 'k 5'] },
  { operator: 'contains', values: ['k'] },
  { operator: 'contains', values: ['i̇'] },
  { operator: 'contains', values: ['two\nlines'] },
  { operator: 'contains', values: ['view\n/shop'] },
  { operator: 'contains', values: ['%', '_'] },
  { operator: 'contains', values: [''] },
  { operator: 'contains', values: ['nothing has this'] },
  { operator: 'startsWith', values: ['/shop/Page-11'] },
  { operator: 'startsWith', values: ['/SHOP'] },
  { operator: 'startsWith', values: ['lines', '\u0000n'] },
  { operator: 'endsWith', values: ['Sale'] },
  { operator: 'endsWith', values: ['7/view', '\n 5986'] },
  { operator: 'atLeast', values: ['7'] },
];

/** A site with texts, some of which were deleted, and the ids of those that are left. */
const storedTexts = () => {
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const { id } = textWriter(db);
  const texts = new Map<number, string>();
  const add = db.transaction((from: number, to: number) => {
    for (let i = from; i < to; i++) texts.set(id(siteId, textOf(i)), textOf(i));
  });
  add(0, count);
  for (const gone of [...texts.keys()].filter(each => each > 3000 && each % 5 === 0)) {
    db.prepare('delete from text where site_id = ? and id = ?').run(siteId, gone);
    texts.delete(gone);
  }
  const own = textReader(openReader(dataDir));
  const reads = { one: 0, block: 0 };
  const counted = {
    ...own,
    text: (...args: Parameters<typeof own.text>) => {
      reads.one++;
      return own.text(...args);
    },
    lines: (...args: Parameters<typeof own.lines>) => {
      reads.block++;
      return own.lines(...args);
    },
  };
  const context = {
    query: { siteId },
    reader: { texts: counted, cache: createByteCache(1e8) },
    text: (one: number) => counted.text(siteId, one),
  } as unknown as QueryContext;
  const check = (filter: Pick<FieldFilter, 'operator' | 'values'>, ids: Uint32Array): void => {
    const named = { field: 'path', negated: false, ...filter } as const;
    const want = Array.from(ids, one => (matches(named, texts.get(one) ?? null) ? 1 : 0));
    assert.equal([...testTexts(named, context)(ids)], want, JSON.stringify(filter));
  };
  return { texts, reads, check, addMore: () => add(count, count + 3000) };
};

test('all texts, some of them, and new ones pass as each does by itself', () => {
  const { texts, check, addMore } = storedTexts();
  const ids = (isWanted: (id: number) => boolean): Uint32Array =>
    Uint32Array.from([0, ...texts.keys()].filter(isWanted)).sort();
  for (const filter of filters) {
    check(filter, Uint32Array.of(0));
    check(
      filter,
      ids(id => id % 1000 === 17),
    );
    check(
      filter,
      ids(id => id % 3 === 0 && id < 9000),
    );
    check(
      filter,
      ids(() => true),
    );
  }
  addMore();
  for (const filter of filters)
    check(
      filter,
      ids(() => true),
    );
});

test('texts are read in blocks where many are asked for, and once', () => {
  const { texts, reads, check } = storedTexts();
  const all = Uint32Array.from(texts.keys()).sort();
  const [filter] = filters;
  check(filter!, all.subarray(0, 10));
  assert.equal(reads, { one: 10, block: 0 });
  check(filter!, all);
  assert.ok(reads.block > 0 && reads.block < 20, `${reads.block} blocks`);
  assert.ok(reads.one < 3000, `${reads.one} single texts: those of blocks with a line feed`);
  const before = { ...reads };
  check(filter!, all);
  check(filter!, all.subarray(500, 4000));
  assert.equal(reads, before);
});

test.run();
