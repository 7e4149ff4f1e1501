import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import type { QueryContext } from '../../../src/query/context.ts';
import type { QuestionOf } from '../../../src/query/query.ts';
import { planVisits } from '../../../src/query/reports/visits.ts';

const byRevenue: QuestionOf<'visits'> = {
  kind: 'visits',
  sort: 'revenue',
  descending: true,
  limit: 5,
  search: '',
  converted: false,
  bounced: false,
  paid: false,
  returning: false,
  after: null,
  form: 'json',
};

test('of visits without revenue, no more are looked at than the days that fill a page have', () => {
  const visitsOfDay = 20;
  let looked = 0;
  const dayOf = (day: number) => ({
    day,
    visits: new Uint32Array(visitsOfDay),
    scores: new Float64Array(visitsOfDay),
    written: Array.from({ length: visitsOfDay }, (_, i) => ({
      text: `"visit ${i} of ${day}"`,
      get id() {
        looked++;
        return `${day}-${String(i).padStart(16, '0')}-${day * dayMs}`;
      },
    })),
  });
  // As texts, ids of day 10000 come before those of day 9990.
  const days = Array.from({ length: 40 }, (_, i) => dayOf(9990 + i));
  days[0]!.scores[3] = 100;

  const { answer } = planVisits(byRevenue, {} as QueryContext).merge(days);
  assert.equal(
    answer(() => {}),
    {
      kind: 'visits',
      pieces: [['"visit 3 of 9990"', ...[0, 1, 2, 3].map(i => `"visit ${i} of 10000"`)].join()],
      next: { value: 0, id: `10000-0000000000000003-${10_000 * dayMs}` },
    },
  );
  assert.is(looked, 1 + visitsOfDay);
});

test.run();
