/** The highest rows of long lists, and names only where they matter. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { QueryContext } from '../../../src/query/context.ts';
import { compareText, namesAt, nthLargest, textNames, topRows } from '../../../src/query/rows/top-rows.ts';
import { textReader, textWriter } from '../../../src/store/texts.ts';
import { addSite, temporaryDatabase } from '../../helpers.ts';
import { randomFrom } from '../random-site.ts';

test('rows are ranked by value, events and name', () => {
  const random = randomFrom(1);
  for (let round = 0; round < 200; round++) {
    const count = random.below(40);
    const values = Uint32Array.from({ length: count }, () => random.below(4));
    const events = Uint32Array.from({ length: count }, () => random.below(3));
    const names = Array.from({ length: count }, (_, i) => String.fromCharCode(97 + random.below(26)) + i);
    const want = Array.from(values.keys())
      .sort(
        (a, b) =>
          values[b]! - values[a]! || events[b]! - events[a]! || Buffer.from(names[a]!).compare(Buffer.from(names[b]!)),
      )
      .map(position => names[position]);
    for (const limit of [1, 3, 10, 50]) {
      const got = topRows(
        values,
        events,
        limit,
        namesAt(position => names[position]!),
      ).map(({ name }) => name);
      assert.equal(got, want.slice(0, limit));
      const seen = random.below(count + 1);
      const last = values.findIndex((_, position) => seen > 0 && names[position] === want[seen - 1]);
      const after = last < 0 ? null : { value: values[last]!, events: events[last]!, name: names[last]! };
      const next = topRows(
        values,
        events,
        limit,
        namesAt(position => names[position]!),
        after,
      ).map(({ name }) => name);
      assert.equal(next, want.slice(last < 0 ? 0 : want.indexOf(names[last]) + 1).slice(0, limit));
    }
  }
});

test('names are looked up only for rows that could be shown', () => {
  const values = Uint32Array.of(9, 5, 5, 1, 7);
  const asked: number[] = [];
  const names = namesAt(position => {
    asked.push(position);
    return `name ${position}`;
  });
  assert.equal(
    topRows(values, values, 3, names).map(({ position }) => position),
    [0, 4, 1],
  );
  assert.equal(asked.sort(), [0, 1, 2, 4]);
});

test('texts are compared by code point, as UTF-8 is by bytes', () => {
  const texts = ['', 'a', 'B', 'ab', 'é', '\ud7ff', '\ue000', '\uffe8', '𝒳', '😀', '😀a', 'a😀', 'a\uffe8'];
  for (const a of texts) {
    for (const b of texts) {
      assert.is(Math.sign(compareText(a, b)), Buffer.from(a).compare(Buffer.from(b)), JSON.stringify([a, b]));
    }
  }
});

test('the n-th largest number is found', () => {
  const random = randomFrom(2);
  for (let round = 0; round < 100; round++) {
    const values = Float64Array.from({ length: 1 + random.below(30) }, () => random.below(10) - 5);
    const sorted = values.toSorted().reverse();
    for (let n = 1; n <= values.length; n++) assert.is(nthLargest(values.slice(), n), sorted[n - 1]);
  }
});

test('the first by name of very many equal texts are found, in text order or by a full search', () => {
  const { db } = temporaryDatabase();
  const siteId = addSite(db).id;
  const other = addSite(db).id;
  const texts = textWriter(db);
  const words = Array.from({ length: 3000 }, (_, i) => `${((i * 7919) % 3000).toString(36)}${i % 2 === 0 ? '' : '😀'}`);
  const ids = db.transaction(() => {
    for (const word of words) texts.id(other, `of another site ${word}`);
    return Uint32Array.from(words, word => texts.id(siteId, word));
  })();
  const reader = { texts: textReader(db) };
  const context = {
    query: { siteId },
    reader,
    text: (id: number) => reader.texts.text(siteId, id),
  } as QueryContext;
  const sorted = words.toSorted((a, b) => Buffer.from(a).compare(Buffer.from(b)));

  const among = (positions: number[], count: number): string[] => {
    const names = textNames(
      Uint32Array.from(positions, position => ids[position]!),
      context,
      'nothing',
    );
    const ties = new Uint32Array(positions.length).fill(1);
    return topRows(ties, ties, count, names).map(({ name }) => name);
  };
  const all = [...words.keys()];
  assert.equal(among(all, 20), sorted.slice(0, 20));
  // The wanted ones are the last in the order: walking is given up.
  const late = all.filter(position => sorted.indexOf(words[position]!) >= 1800);
  assert.equal(among(late, 20), sorted.slice(1800, 1820));
  assert.equal(among(late.slice(0, 30), 30).length, 30);

  // Page by page, behind the name that was shown last.
  const paged: string[] = [];
  while (paged.length < sorted.length) {
    const after = paged.length === 0 ? null : { value: 1, events: 1, name: paged.at(-1)! };
    const ties = new Uint32Array(all.length).fill(1);
    paged.push(...topRows(ties, ties, 700, textNames(ids, context), after).map(({ name }) => name));
  }
  assert.equal(paged, sorted);
});

test('null is ranked by its name among very many texts', () => {
  const { db } = temporaryDatabase();
  const siteId = addSite(db).id;
  const texts = textWriter(db);
  const ids = db.transaction(() =>
    Uint32Array.from({ length: 1500 }, (_, i) => (i === 0 ? 0 : texts.id(siteId, `z${i}`))),
  )();
  const reader = { texts: textReader(db) };
  const context = {
    query: { siteId },
    reader,
    text: (id: number) => reader.texts.text(siteId, id),
  } as QueryContext;
  const ties = new Uint32Array(ids.length).fill(1);
  const names = topRows(ties, ties, 3, textNames(ids, context, 'Direct / none')).map(({ name }) => name);
  assert.equal(names, ['Direct / none', 'z1', 'z10']);
});

test.run();
