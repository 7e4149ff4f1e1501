/**
 * Where the single executable begins. It may start itself again, and only then reads the program,
 * which takes most of a start.
 */
const { getAsset } = require('node:sea');
const { compileFunction } = require('node:vm');

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

const program = getAsset('dist/daybook.cjs', 'utf8');
compileFunction(program, ['require', 'module'], { filename: 'daybook.cjs' })(require, { exports: {} });
