/** Page views of visitors of their own, recorded as the collector does it. */
import { randomBytes } from 'node:crypto';
import { createPipeline } from '../../src/collect/pipeline.ts';
import type { Database } from '../../src/store/database.ts';
import { salts } from '../../src/store/salts.ts';
import { siteDirectory } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';

export const firstDay = 20_000;

/** Records a view of each path of the first site at `at` UTC milliseconds. */
export const recordViews = (db: Database, at: number, paths: readonly string[]): void => {
  const records = recorder(db);
  const directory = siteDirectory(db);
  const { process } = createPipeline({
    recorder: records,
    salts: salts(db),
    directory,
    geo: { place: () => ({ country: null, region: null, city: null, network: null }), close: () => {} },
    random: randomBytes,
    startAt: at,
  });
  const { publicKey } = directory.byId(1)!;
  records.write(
    paths.map((path, i) => {
      const body = { s: publicKey, u: `https://site1.example${path}` };
      return process({ at, address: `198.51.100.${i}`, userAgent: 'Mozilla/5.0 (X11; Linux x86_64)', body });
    }),
  );
};
