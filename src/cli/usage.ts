/** `daybook usage`: hits a month by account, and what those beyond the plan's quota cost. */
import { readSetting } from '../config.ts';
import { overageHits, type Plan, planOverageUsd } from '../model/site.ts';
import { accounts } from '../store/accounts/accounts.ts';
import { usage as monthlyUsage } from '../store/read/usage.ts';
import { accountFlag, command, jsonFlag } from './command.ts';
import { accountNamed, withExistingDatabase } from './open.ts';
import { print, table } from './print.ts';

export const usage = command({
  name: 'usage',
  operands: [],
  flags: {
    'plan-quotas': {
      kind: 'text',
      value: 'LIST',
      meaning: 'Hits a month that each plan includes, like hobby=10000,pro=100000 (PLAN_QUOTAS)',
    },
    ...accountFlag,
    ...jsonFlag,
  },
  summary: 'Show the hits of each account by month',
  details:
    'Pageviews and events count; web vitals, crawlers and marks do not. Months are UTC. The overage is what each hundred thousand hits\nbeyond the quota cost, begun ones in full.',
  run: (context, { flags }) => {
    const quotas = readSetting('planQuotas', context.env, flags) ?? {};
    return withExistingDatabase(context, flags, db => {
      const only = accountNamed(db, flags.account);
      const used = monthlyUsage(db);
      const months = (only === undefined ? accounts(db).list() : [only]).flatMap(({ id, name, plan }) =>
        used
          .filter(({ accountId }) => accountId === id)
          .map(({ month, hits }) => ({
            account: name,
            plan,
            month,
            hits,
            ...overageOf(plan, hits, quotas[plan] ?? null),
          })),
      );
      const text = table(
        ['ACCOUNT', 'PLAN', 'MONTH', 'HITS', 'QUOTA', 'OVERAGE'],
        months.map(({ account, plan, month, hits, quota, overageUsd }) => [
          account,
          plan,
          month,
          hits,
          quota,
          overageUsd === null ? null : `$${overageUsd}`,
        ]),
      );
      print(context, flags.json, months, months.length === 0 ? 'There are no hits yet.' : text);
    });
  },
});

/** Null where no quota is set, or where the plan has no price for going over it. */
const overageOf = (
  plan: Plan,
  hits: number,
  quota: number | null,
): { quota: number | null; overageUsd: number | null } => {
  const price = planOverageUsd[plan];
  if (quota === null || price === null) return { quota, overageUsd: null };
  return { quota, overageUsd: Math.ceil(Math.max(0, hits - quota) / overageHits) * price };
};
