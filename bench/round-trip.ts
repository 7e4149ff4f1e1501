/**
 * `npm run bench -- round-trip [HITS]`: the hits of the demo's sites are exported as NDJSON, imported into another
 * directory, and both are asked the same questions. Fails where one answer differs.
 */
import { answers, moved, questions, withDemo } from '../test/tools/round-trip.ts';

const [defaultHits, days, seeds] = [1_000_000, 4, 2];

export const run = async ([given]: readonly string[]): Promise<void> => {
  const hits = Number(given ?? defaultHits);
  const { dataDir, sites } = await withDemo(days, hits);
  const began = Date.now();
  const other = await moved(dataDir, sites);
  const seconds = Math.round((Date.now() - began) / 1000);
  const asked = Array.from({ length: seeds }, (_, seed) => questions(seed + 1)).flat();
  const domains = sites.map(({ domain }) => domain);
  const after = await answers(other, domains, asked);
  let [count, different] = [0, 0];
  for (const [question, answer] of await answers(dataDir, domains, asked)) {
    count++;
    if (answer.startsWith('200 ') && after.get(question) === answer) continue;
    different++;
    console.error(`${question}\n  ${answer.slice(0, 300)}\n  ${after.get(question)?.slice(0, 300)}`);
  }
  const what = `${sites.length} sites, ${hits.toLocaleString('en')} hits`;
  console.log(`${what}: out and in again in ${seconds} s; ${count - different} of ${count} answers are equal.`);
  if (different > 0) process.exitCode = 1;
};
