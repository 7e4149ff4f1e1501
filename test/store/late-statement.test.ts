import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../src/store/database.ts';
import { withDirectory } from '../tools/directories.ts';

test('a statement is in the modes that it was put into, before its first use and after', () =>
  withDirectory(async dir => {
    const db = openDatabase(dir);
    const late = db.prepare('select 1 as one, ? as two');
    assert.equal(late.all(2), [{ one: 1, two: 2 }]);
    late.raw();
    assert.equal(late.get(2), [1, 2]);
    assert.equal([...db.prepare('select 1 union select 2').pluck().safeIntegers().iterate()], [1n, 2n]);
    db.close();
  }));

test('what SQLite refuses is thrown where the statement is first used', () =>
  withDirectory(async dir => {
    const db = openDatabase(dir);
    const wrong = db.prepare('select 1 from nowhere');
    assert.throws(() => wrong.get(), /no such table: nowhere/);
    db.close();
  }));

test.run();
