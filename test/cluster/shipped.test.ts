import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rowsVersion } from '../../src/cluster/schema.ts';
import { readShipped, shippedText, withoutRules, withRules } from '../../src/cluster/shipped.ts';
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

test('any other text is no version', () => {
  for (const text of ['', 'other', 'sealed', 'sealed x', 'open 1 import', 'import 5', 'taken import 5 0', ' sealed 3'])
    assert.is(readVersion(text), undefined, text);
  for (const text of ['', 'sealed 3', '3 uuid', 'x uuid sealed 3']) assert.is(readShipped(text), undefined, text);
});

test.run();
