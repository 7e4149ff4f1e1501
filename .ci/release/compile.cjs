/**
 * Writes what V8 has compiled of the program when a server has begun, so that the executable need
 * not: `node compile.cjs PROGRAM CONTENTS PLACES DATA OUT`. The program finds its files in CONTENTS.
 */
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { resolve } = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');

const [, , program, contents, places, data, out] = process.argv;
/** With these it is the same each time. */
const steady = ['--random-seed=1', '--single-threaded'];
/** V8 takes what was compiled with the same flags: it has written their digest here. */
const digestOfFlags = { at: 12, bytes: 4 };

const compileWithoutFlags = () => {
  execFileSync(process.execPath, [...steady, ...process.argv.slice(1)], { stdio: 'inherit' });
  const compiled = fs.readFileSync(out);
  const { at, bytes } = digestOfFlags;
  new vm.Script('0').createCachedData().copy(compiled, at, at, at + bytes);
  if (read({ cachedData: compiled }).cachedDataRejected) throw new Error('V8 does not take what it has compiled.');
  fs.writeFileSync(out, compiled);
};

const read = options => new vm.Script(fs.readFileSync(program, 'latin1'), { filename: 'daybook.cjs', ...options });

const instead = {
  'node:sea': { isSea: () => true, getAsset: () => fs.readFileSync(places, 'utf8') },
  'node:fs': { ...fs, openSync: (path, ...more) => fs.openSync(path === '/proc/self/exe' ? contents : path, ...more) },
  // Flags that are set later would count as well.
  'node:v8': { ...v8, setFlagsFromString() {} },
  'node:vm': { ...vm, runInNewContext: () => () => {} },
};

const compile = () => {
  const script = read({});
  const made = { exports: {} };
  process.execPath = resolve('dist/daybook'); // beside it lie the tables of places
  process.argv.splice(2, Number.POSITIVE_INFINITY, 'serve', '--data', data, '--port', '0', '--host', '127.0.0.1');
  process.stdout.write = text => {
    if (!text.startsWith('Daybook listens')) return true;
    fs.writeFileSync(out, script.createCachedData());
    process.exit();
  };
  script.runInThisContext()(name => instead[name] ?? require(name), made, made.exports);
};

if (process.execArgv.length === 0) compileWithoutFlags();
else compile();
