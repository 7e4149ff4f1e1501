import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inPieces } from '../../src/model/pieces.ts';

test('lines are gathered into pieces, and none is lost', () => {
  const lines = Array.from({ length: 1000 }, (_, i) => `${i},${'x'.repeat(i % 50)}\n`);
  const pieces = [...inPieces(lines, 1000)];
  assert.is(pieces.join(''), lines.join(''));
  assert.ok(pieces.length > 10);
  for (const piece of pieces.slice(0, -1)) assert.ok(piece.length >= 1000 && piece.length < 1100);
  assert.equal([...inPieces([])], []);
});

test.run();
