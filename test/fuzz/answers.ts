/** The engine beside a naive recount of the same hits: random sites, sealed and open, and random questions. */
import { isDeepStrictEqual } from 'node:util';
import type { Chance } from '../../src/cli/demo/random.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import { type Database, openReader } from '../../src/store/database.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable, type NaiveSite, naiveReport } from '../naive.ts';
import {
  askedKinds,
  days,
  firstDay,
  randomFrom,
  randomParts,
  randomQuery,
  randomSite,
  storeSite,
} from '../query/random-site.ts';
import { must } from '../tools/conditions.ts';
import type { Target } from './target.ts';

/** Questions to one site: making a site takes longer than a question. */
const perSite = 12;

interface Case {
  site: NaiveSite;
  siteId: number;
  engine: ReturnType<typeof createEngine>;
  connections: Database[];
}

const makeCase = (chance: Chance): Case => {
  const random = randomFrom(chance.below(2 ** 31));
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(random);
  const siteId = storeSite(db, site, firstDay + random.below(days + 2), 'UTC', randomParts(random).partHitsMax);
  const reader = openReader(dataDir);
  const engine = createEngine(reader, random.pick([1e8, 20_000, 0]), { openDays: randomParts(random) });
  return { site, siteId, engine, connections: [db, reader] };
};

export const answers: Target = {
  name: 'answers',
  what: 'questions answered as a naive recount answers them',
  share: 0.01,
  lanes: 1,
  open() {
    let now: Case | undefined;
    let asked = 0;
    const end = (): void => {
      for (const connection of now?.connections ?? []) connection.close();
    };
    return {
      async one(chance) {
        if (now === undefined || asked++ % perSite === 0) {
          end();
          now = makeCase(chance);
        }
        const query = randomQuery(randomFrom(chance.below(2 ** 31)), now.siteId, askedKinds);
        const got = await now.engine.answer(query, alone);
        const want = naiveReport(now.site, query);
        query.slices.forEach(({ from, to, filters, questions }, slice) => {
          questions.forEach((ask, i) => {
            const [mine, naive] = [comparable(got[slice]![i]!), comparable(want[slice]![i]!)];
            const equal = isDeepStrictEqual(mine, naive);
            must(equal, equal ? '' : JSON.stringify({ ask, from, to, filters, got: mine, want: naive }));
          });
        });
      },
      close: end,
    };
  },
};
