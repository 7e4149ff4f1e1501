/** Revenue, converted hit by hit and rounded to a minor unit. */
import type { Query } from '../../query/query.ts';
import { type Money, noMoney } from '../../query/rows/revenue.ts';
import { addUp, number, type ResultRow, type Scope } from '../run.ts';
import { float, list, rounded, text } from '../sql.ts';

/** The amount of a hit in the site's currency, or in its own where it has no rate. */
export const convertedAmount = ({ currency, minorRates }: Query): string => {
  const rated = Object.entries({ ...minorRates, [currency]: 1 }).map(
    ([code, rate]) => `currency = ${text(code)}, ${rounded(`amount * ${float(rate)}`)}`,
  );
  return `multiIf(${rated.join(', ')}, amount)`;
};

export const hasRate = ({ currency, minorRates }: Query): string =>
  `currency in ${list([currency, ...Object.keys(minorRates)])}`;

/** The revenue of the hits that pass a condition, by some expressions: the key, and the sum. */
export const moneyBy = async (
  { run, query, selection }: Scope,
  keys: readonly string[],
  hits: string,
): Promise<(key: ResultRow) => Money> => {
  const names = keys.map((_, i) => `k${i}`);
  const by = [...names, 'code'].join(', ');
  const selected = [...keys.map((key, i) => `${key} as k${i}`), 'currency as code'].join(', ');
  const shards = await run(
    `select ${selected}, sum(${convertedAmount(query)}) from ${selection.table} where type = 4 and (${hits}) group by ${by}`,
  );
  const found = new Map<string, Money>();
  for (const row of addUp(shards, names.length + 1)) {
    const [code, sum] = [String(row[names.length]), number(row[names.length + 1])];
    const key = JSON.stringify(row.slice(0, names.length));
    const money = found.get(key) ?? noMoney();
    if (code === query.currency || code in query.minorRates) money.revenue += sum;
    else money.otherRevenue[code] = sum;
    found.set(key, money);
  }
  return key => found.get(JSON.stringify(key)) ?? noMoney();
};
