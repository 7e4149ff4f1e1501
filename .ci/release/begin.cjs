/**
 * Where the single executable begins. It may start itself again, and only then reads the program,
 * which takes most of a start.
 */
const { Script } = require('node:vm');

const { argv, env, execPath } = process;

/**
 * glibc reads how it gives memory back when a process begins. The units, the image and `npm start`
 * say it in the environment. Sockets that systemd holds would not be handed on.
 */
const allocator = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' };
const [, , command = 'serve'] = argv;
const isLong = command.startsWith('-') || ['serve', 'collect', 'answer', 'import'].includes(command);
const isSaid = env.LISTEN_FDS !== undefined || Object.keys(allocator).some(name => name in env);
if (!isSaid && isLong) process.execve?.(execPath, [execPath, ...argv.slice(2)], { ...env, ...allocator });

const { readShipped, shippedNames } = require('../../src/package-root.ts');
const { parts } = require('./parts.cjs');

/** Runs a script that the executable holds, and gives what it exports. */
const load = name => {
  const compiled = `${name}.compiled`;
  const script = new Script(readShipped(`dist/${name}.cjs`).latin1Slice(), {
    filename: `${name}.cjs`,
    cachedData: shippedNames('dist').includes(compiled) ? readShipped(`dist/${compiled}`) : undefined,
  });
  const module = { exports: {} };
  script.runInThisContext()(requirePart, module, module.exports);
  return module.exports;
};

const loaded = {};
const requirePart = name => {
  const part = Object.keys(parts).find(key => parts[key].includes(name));
  if (part === undefined) return require(name);
  loaded[part] ??= load(part);
  return loaded[part][name];
};

load('daybook');
