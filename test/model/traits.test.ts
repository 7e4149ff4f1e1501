import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { propertiesMax, traitBytesMax } from '../../src/model/limits.ts';
import { identityOfTraits, mergedIdentity, type Scalar, traitsOf } from '../../src/model/traits.ts';
import { anyCharacter } from '../any-character.ts';

const identity = (traits: Record<string, Scalar>) => identityOfTraits(new Map(Object.entries(traits)))!;
const merged = (...said: Record<string, Scalar>[]) =>
  said.map(identity).reduce((before, later) => mergedIdentity(before.traits, later));

test('later traits are added to earlier ones, and of one key the later value stays', () => {
  const { name, traits } = merged({ email: 'ada@example.com', plan: 'free' }, { plan: 'pro', seats: 3 });
  assert.is(name, 'ada@example.com');
  assert.is(traits, '{"email":"ada@example.com","plan":"pro","seats":3}');
  assert.is(merged({ id: 7 }, { name: 'Ada' }).name, 'Ada', 'who it is may become clearer');
});

test('where traits have no room, later ones stay', () => {
  const long = 'x'.repeat(480);
  const many = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`old${i}`, long]));
  const { traits } = merged(many, { new1: long, new2: 1 });
  const kept = [...traitsOf(traits).keys()];
  assert.ok(kept.includes('new1') && kept.includes('new2') && kept.includes('old0') && !kept.includes('old7'));
  const keys = (name: string) => Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${name}${i}`, i]));
  const [...names] = traitsOf(merged(keys('a'), keys('b')).traits).keys();
  assert.is(names.length, propertiesMax);
  assert.is(names.filter(name => name.startsWith('b')).length, 30);
});

test('any traits are bounded, and every later one that fits alone is kept', () => {
  const traits = fc
    .uniqueArray(fc.tuple(fc.string({ unit: anyCharacter, maxLength: 200 }), fc.oneof(fc.string(), fc.boolean())), {
      selector: ([key]) => key,
      minLength: 1,
      maxLength: propertiesMax,
    })
    .map(entries => identityOfTraits(new Map(entries))!);
  fc.assert(
    fc.property(traits, traits, (earlier, later) => {
      const both = mergedIdentity(earlier.traits, later);
      const [before, added, all] = [earlier, later, both].map(({ traits }) => traitsOf(traits)) as [
        Map<string, Scalar>,
        Map<string, Scalar>,
        Map<string, Scalar>,
      ];
      assert.ok(Buffer.byteLength(both.traits) <= traitBytesMax && all.size <= propertiesMax);
      for (const [key, value] of added) assert.is(all.get(key), value);
      for (const [key, value] of all) assert.is(value, added.get(key) ?? before.get(key));
    }),
    { seed: 1 },
  );
});

test.run();
