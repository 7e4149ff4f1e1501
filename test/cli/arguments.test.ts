import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findCommand, parseArguments } from '../../src/cli/arguments.ts';
import { type Command, command, commonFlags, UsageError } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import type { CommandFlag } from '../../src/cli/flags.ts';
import { helpPage } from '../../src/cli/help.ts';
import { serve } from '../../src/cli/serve.ts';

const paint = command({
  name: 'wall paint',
  operands: { COLOUR: String },
  flags: {
    coats: { kind: 'text', value: 'N', required: true, meaning: 'how many' },
    skip: { kind: 'list', value: 'SPOT', meaning: 'what to leave out' },
    dry: { kind: 'switch', meaning: 'no paint' },
  },
  summary: 'Paint a wall',
  database: 'none',
  run: () => undefined,
});
const look = command({
  name: 'look',
  flags: { far: { kind: 'switch', meaning: '' } },
  summary: 'Look',
  database: 'none',
  run: () => undefined,
});
const table: readonly Command[] = [paint, look];

const parsed = (...args: string[]) => {
  const result = parseArguments(args, table);
  if (result.kind !== 'run') throw new Error(`is ${result.kind}`);
  return { name: result.command.name, ...result.input };
};

test('flags may stand before, between and after words', () => {
  const want = {
    name: 'wall paint',
    flags: { coats: '2', skip: ['door', 'window'], dry: true, json: false, data: 'd', help: false },
    operands: { COLOUR: 'red' },
  };
  assert.equal(
    parsed('wall', 'paint', 'red', '--coats', '2', '--skip', 'door', '--skip=window', '--dry', '--data', 'd'),
    want,
  );
  assert.equal(
    parsed('--data=d', '--dry', '--skip=door', 'wall', '--coats=2', 'paint', '--skip', 'window', 'red'),
    want,
  );
});

test('a flag that was not given is undefined, and a switch is off', () => {
  assert.equal(parsed('wall', 'paint', 'red', '--coats=1').flags, {
    coats: '1',
    skip: undefined,
    dry: false,
    json: false,
    data: undefined,
    help: false,
  });
});

test('a value may be empty, a lone dash, or begin with a dash after =', () => {
  assert.is(parsed('wall', 'paint', 'red', '--coats', '').flags.coats, '');
  assert.is(parsed('wall', 'paint', 'red', '--coats', '-').flags.coats, '-');
  assert.is(parsed('wall', 'paint', 'red', '--coats=-1').flags.coats, '-1');
  assert.equal(parsed('wall', 'paint', '--coats=1', '--', '--red').operands, { COLOUR: '--red' });
});

const wrong: [args: string[], message: string][] = [
  [['loook'], 'There is no command loook. Did you mean look?'],
  [['xyz'], 'There is no command xyz.'],
  [['wall'], 'wall needs one of: paint.'],
  [['wall', 'piant', 'red'], 'There is no command wall piant. Did you mean wall paint?'],
  [['wall', 'paint', '--coats=1'], 'wall paint needs COLOUR.'],
  [['wall', 'paint', 'red'], 'wall paint needs --coats N.'],
  [['wall', 'paint', 'red', 'blue', '--coats=1'], 'wall paint takes COLOUR; "blue" is too many.'],
  [['look', 'up'], 'look takes no arguments; "up" is too many.'],
  [['wall', 'paint', 'red', '--caots', '1'], 'wall paint has no flag --caots. Did you mean --coats?'],
  [['wall', 'paint', 'red', '--far'], 'wall paint has no flag --far.'],
  [['--coast', 'wall', 'paint'], 'wall paint has no flag --coast. Did you mean --coats?'],
  [['--coast', '3', 'wall', 'paint'], 'There is no flag --coast. Did you mean --coats?'],
  [['wall', 'paint', 'red', '--coats'], '--coats needs a value: --coats N.'],
  [['wall', 'paint', 'red', '--coats', '--dry'], '--coats needs a value: --coats N.'],
  [['wall', 'paint', 'red', '--coats=1', '--dry=no'], '--dry takes no value.'],
  [['look', '--toString'], 'look has no flag --toString.'],
  [['look', '--__proto__=1'], 'look has no flag --__proto__.'],
  [['look', '-x'], 'look has no flag -x.'],
];
for (const [args, message] of wrong) {
  test(`refused: ${args.join(' ')}`, () => {
    try {
      parseArguments(args, table);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, UsageError);
      assert.is((error as Error).message, message);
    }
  });
}

test('help and version work wherever they stand', () => {
  const topicOf = (...args: string[]) => {
    const result = parseArguments(args, table);
    return result.kind === 'help' ? result.topic : result.kind;
  };
  assert.equal(topicOf(), []);
  assert.is(parseArguments(['--data', 'd'], [...table, serve]).kind, 'run');
  assert.equal(topicOf('help'), []);
  assert.equal(topicOf('--help'), []);
  assert.equal(topicOf('-h'), []);
  assert.equal(topicOf('help', 'wall', 'paint'), ['wall', 'paint']);
  assert.equal(topicOf('wall', 'paint', '--help'), ['wall', 'paint']);
  assert.equal(topicOf('--version'), 'version');
  assert.equal(topicOf('-v'), 'version');
});

test('every command has a help page, and so has each first word of commands', () => {
  for (const { name, flags } of commands) {
    const page = helpPage(name.split(' '), commands);
    assert.ok(page.includes(`daybook ${name}`), name);
    for (const flag of Object.keys({ ...flags, ...commonFlags }))
      assert.ok(page.includes(`--${flag}`), `${name} --${flag}`);
    assert.ok(helpPage([name.split(' ')[0]!], commands).includes(name));
    assert.ok(helpPage([], commands).includes(`daybook ${name}`));
  }
});

test('a flag has the same kind in every command, so arguments can be read before the command is known', () => {
  const kinds = new Map<string, string>();
  for (const { name, flags } of commands) {
    for (const [flag, { kind, value }] of Object.entries<CommandFlag>({ ...flags, ...commonFlags })) {
      const takesValue = String(kind !== 'switch');
      assert.is(kinds.get(flag) ?? takesValue, takesValue, `${name} --${flag}`);
      assert.is(value !== undefined, kind !== 'switch', `${name} --${flag} says what its value is`);
      kinds.set(flag, takesValue);
    }
  }
});

test('each command is found by its name, wherever it stands in the table', () => {
  for (const inSomeOrder of [commands, commands.toReversed()])
    for (const { name } of commands) {
      assert.is(findCommand(name.split(' '), inSomeOrder)?.name, name);
      assert.is(findCommand([...name.split(' '), 'more'], inSomeOrder)?.name, name);
    }
});

test.run();
