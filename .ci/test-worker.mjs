/** Runs one test file after the other for .ci/test.mjs, which sends their paths and gets the counts. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = tmpdir();

// Has uvu collect a file's tests until they are asked for here.
globalThis.UVU_DEFER = true;
globalThis.UVU_INDEX = 0;
globalThis.UVU_QUEUE = [[]];

const runFile = async file => {
  const suites = [];
  globalThis.UVU_QUEUE[0] = suites;
  await import(new URL(`../dist/test/${file.replace(/\.ts$/, '.js')}`, import.meta.url).href);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of suites) {
    const [errors, passed, skipped, all] = await suite();
    counts.passed += passed;
    // A hook that throws ends the suite without a word.
    counts.failed += all - passed;
    counts.skipped += skipped;
    if (errors !== true) console.log(`\n\n${errors}`);
    else if (passed < all) console.log(`\n\n  A hook failed: ${all - passed} of ${all} tests did not run.\n`);
  }
  if (counts.passed + counts.failed + counts.skipped === 0) {
    console.log('\n  It runs no test.\n');
    counts.failed = 1;
  }
  return counts;
};

process.on('message', async file => {
  // So that a file whose tests wait for what never comes ends the process.
  process.channel.unref();
  const directory = mkdtempSync(join(scratch, 'file-'));
  process.env.TMPDIR = directory;
  const counts = await runFile(file);
  // The directory itself stays: libraries remember the one that was there when they were loaded.
  for (const name of readdirSync(directory)) {
    rmSync(join(directory, name), { recursive: true, force: true, maxRetries: 5 });
  }
  process.channel.ref();
  process.stdout.write('\n', () => process.send(counts));
});
process.on('disconnect', () => process.exit());
