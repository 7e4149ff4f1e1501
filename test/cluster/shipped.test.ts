import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { collectorsNode, rowsVersion, rulesNode } from '../../src/cluster/schema.ts';
import {
  inForce,
  readShipped,
  ruledText,
  type ShippedDay,
  shippedText,
  withoutRules,
  withRules,
} from '../../src/cluster/shipped.ts';
import { type DayVersion, readVersion, versionText } from '../../src/store/day/day-versions.ts';

const imports = [
  { id: 5, version: 0 },
  { id: 17, version: 2 },
];
const versions: [DayVersion, string][] = [
  [{ state: 'open', lastHit: 123, imports: [] }, 'open 123'],
  [{ state: 'open', lastHit: 0, imports }, 'open 0 import 5 0 import 17 2'],
  [{ state: 'sealed', version: 3, imports: [] }, 'sealed 3'],
  [{ state: 'sealed', version: 3, imports }, 'sealed 3 import 5 0 import 17 2'],
  [{ state: 'imported', imports }, 'import 5 0 import 17 2'],
  [{ state: 'taken' }, 'taken'],
  [{ state: 'retired' }, 'retired'],
];

test('a version is read as it was written, and its text is that of earlier programs', () => {
  for (const [version, text] of versions) {
    assert.is(versionText(version), text);
    assert.equal(readVersion(text), version);
    assert.equal(readShipped(shippedText('a-uuid', version)), { rows: rowsVersion, uuid: 'a-uuid', of: version });
  }
});

test('the rules of a day that was shipped without some hits stand behind its version', () => {
  const text = shippedText('a-uuid', { state: 'sealed', version: 3, imports });
  assert.is(withRules(text, ''), text);
  assert.is(withRules(text, '4,12'), `${text} rules 4,12`);
  assert.is(withoutRules(withRules(text, '4,12')), text);
  assert.equal(readShipped(withRules(text, '4,12')), readShipped(text));
  // Removals by earlier versions stood there, too.
  const open: DayVersion = { state: 'open', lastHit: 7, imports };
  assert.equal(readVersion('open 7 1:40,2:30 import 5 0 import 17 2'), open);
});

test('what rules leave counts in place of the days that it was made of, as long as these count', () => {
  const part = (node: number, revision: number, version = 'closed 1', hits = 3): ShippedDay => ({
    ...{ siteId: 1, day: 20_000, node, revision, version, hits },
  });
  const bases = [part(7, 1), part(collectorsNode, 2)];
  const ruled = part(rulesNode, 1, ruledText('a-uuid', bases.toReversed(), '4,12'));
  const own = part(0, 1);
  assert.equal(inForce([own, ...bases, ruled]), [own, ruled]);
  assert.equal(inForce([own, ...bases]), [own, ...bases]);
  const other = { ...own, day: 20_001 };
  assert.equal(inForce([own, ...bases, ruled, other]), [own, ruled, other]);
  // It may leave nothing, and what rules no longer touch counts whole.
  assert.equal(inForce([...bases, { ...ruled, hits: 0 }]), [{ ...ruled, hits: 0 }]);
  assert.equal(inForce([...bases, part(rulesNode, 2, ruledText('a-uuid', bases, ''), 0)]), bases);
  for (const others of [[bases[0]!], [bases[0]!, part(collectorsNode, 3)], [...bases, part(8, 1)]])
    assert.equal(inForce([...others, ruled]), others);
  // Nor does it matter that all hits of one of them were erased.
  const [first, ...others] = bases as [ShippedDay, ShippedDay];
  assert.equal(inForce([{ ...first, hits: 0 }, ...others, ruled]), [ruled]);
  // A day that was taken away is none of them, nor one that is the primary's.
  const away = part(9, 1, '', 0);
  const taken = part(8, 1, shippedText('a-uuid', { state: 'taken' }), 0);
  assert.equal(inForce([...bases, away, taken, ruled]), [away, taken, ruled]);
});

test('any other text is no version', () => {
  for (const text of ['', 'other', 'sealed', 'sealed x', 'open 1 import', 'import 5', 'taken import 5 0', ' sealed 3'])
    assert.is(readVersion(text), undefined, text);
  for (const text of ['', 'sealed 3', '3 uuid', 'x uuid sealed 3']) assert.is(readShipped(text), undefined, text);
});

test.run();
