/** A short version of `npm run attack`: the honest lose nothing, and the numbers show what they sent. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { until } from '../tools/conditions.ts';
import { type Answers, attacks } from './attacks.ts';
import { runRound } from './round.ts';

/** Requests of the attacker that are answered, after which it stops. */
const enough = 12;
const shortly: readonly [name: string, networks: number][] = [
  ['flood', 1],
  ['random properties', 1],
  ['odd bodies', 1000],
  ['passwords', 1000],
];

for (const [name, networks] of shortly) {
  const attack = attacks.find(other => other.name === name)!;
  test(`nobody suffers when an attacker ${attack.does}`, async () => {
    const answered = (answers: Answers): number => Object.values(answers).reduce((sum, count) => sum + count, 0);
    const last = (_: unknown, answers: () => Answers): Promise<void> =>
      until('the attack is under way', () => answered(answers()) >= enough);
    const round = await runRound({ attack, networks, dir: temporaryDir(), settleMs: 0, pastHits: 200, last });
    const { lost, owner, neighbour, signIns, sales, salesShown, answers } = round;
    assert.ok(
      Object.values(answers).some(count => count > 0),
      'There was no attack.',
    );
    assert.ok(sales > 0 && owner.count > 0 && neighbour.count > 0, 'Nobody honest was there.');
    assert.equal([lost, owner.refused, neighbour.refused, signIns.refused], [0, 0, 0, 0], JSON.stringify(round));
    assert.is(salesShown, sales);
  });
}

test.run();
