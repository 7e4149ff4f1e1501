import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rowsVersion } from '../../src/cluster/schema.ts';
import { readShipped, shippedText } from '../../src/cluster/shipped.ts';
import { type DayVersion, readVersion, versionText } from '../../src/store/day/day-versions.ts';

const imports = [
  { id: 5, version: 0 },
  { id: 17, version: 2 },
];
const versions: [DayVersion, string][] = [
  [{ state: 'open', lastHit: 123, removed: '', imports: [] }, 'open 123'],
  [{ state: 'open', lastHit: 0, removed: '1:40,2:30', imports }, 'open 0 1:40,2:30 import 5 0 import 17 2'],
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

test('any other text is no version', () => {
  for (const text of ['', 'other', 'sealed', 'sealed x', 'open 1 import', 'import 5', 'taken import 5 0', ' sealed 3'])
    assert.is(readVersion(text), undefined, text);
  for (const text of ['', 'sealed 3', '3 uuid', 'x uuid sealed 3']) assert.is(readShipped(text), undefined, text);
});

test.run();
