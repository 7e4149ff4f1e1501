/** `daybook usage`: hits a month by account, and what those beyond the plan's quota cost. */
import { readSetting } from '../config.ts';
import { overageHits, type Plan, planOverageUsd } from '../model/site.ts';
import { accounts } from '../store/accounts/accounts.ts';
import { usage as monthlyUsage } from '../store/read/database-stats.ts';
import { command } from './command.ts';
import { accountFlag, settingFlag } from './flags.ts';
import { listing } from './format.ts';
import { accountNamed } from './lookup.ts';

export const usage = command({
  name: 'usage',
  flags: { 'plan-quotas': settingFlag('planQuotas'), ...accountFlag },
  summary: 'Show the hits of each account by month',
  details: `Pageviews and events count; web vitals, crawlers, durations and traits do not. Months are UTC. The overage is the price of each
100,000 hits beyond the quota, or part of them.`,
  run: ({ db, env }, { flags }) => {
    const quotas = readSetting('planQuotas', env, flags) ?? {};
    const used = monthlyUsage(db);
    const months = (flags.account === undefined ? accounts(db).list() : [accountNamed(db, flags.account)]).flatMap(
      ({ id, name, plan }) =>
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
    return listing(
      months,
      {
        ACCOUNT: 'account',
        PLAN: 'plan',
        MONTH: 'month',
        HITS: 'hits',
        QUOTA: 'quota',
        OVERAGE: ({ overageUsd }) => (overageUsd === null ? null : `$${overageUsd}`),
      },
      'There are no hits yet.',
    );
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
