/** What the commands about a person have in common: how they are told whom they are about. */
import { definitionsOf, resolveFilters } from '../api/definitions.ts';
import { parseFilters } from '../api/request/parameters.ts';
import { filterFields } from '../model/filters.ts';
import type { Site } from '../model/site.ts';
import {
  type DataSubject,
  findVisitors,
  TooManyVisitors,
  type Visitors,
  visitorsMax,
} from '../query/person/find-visitors.ts';
import type { Database } from '../store/database.ts';
import { definitions } from '../store/definitions.ts';
import { CommandError, type Context, UsageError } from './command.ts';
import { accountFlag, listFlag, textFlag } from './flags.ts';
import { formatCount } from './format.ts';
import { runDays } from './long-work.ts';
import type { OnCluster } from './on-cluster.ts';
import { readWhere } from './typed.ts';

export const personFlags = {
  visitor: textFlag('ID', 'The visitor by id, as lists of visits have it: 16 hexadecimal digits', (typed: string) =>
    hashOf(typed),
  ),
  where: listFlag(
    'FILTER',
    'All visitors with a visit that a filter of the API selects, such as trait:email=ann@example.com',
  ),
  ...accountFlag,
};

const hashOf = (typed: string): bigint => {
  if (!/^[0-9a-f]{16}$/i.test(typed)) throw new UsageError('--visitor needs 16 hexadecimal digits.');
  return BigInt(`0x${typed}`);
};

/** Throws UsageError unless exactly one of both flags says who is meant. */
export const personOf = (
  db: Database,
  site: Site,
  { visitor, where }: { visitor: bigint | undefined; where: readonly string[] | undefined },
): DataSubject => {
  if ((visitor === undefined) === (where === undefined))
    throw new UsageError('Say who is meant: with --visitor ID, or with --where FILTER.');
  if (visitor !== undefined) return { visitor };
  return readWhere(where!, search => {
    const filters = parseFilters(search, filterFields);
    if (filters.length === 0) throw new UsageError('--where needs a filter, such as trait:email=ann@example.com.');
    return { filters: resolveFilters(filters, definitionsOf(definitions(db), site.id)) };
  });
};

interface PersonAsked {
  site: Site;
  person: DataSubject;
  /** Where collectors’ hits are; null for nowhere. */
  cluster: Pick<OnCluster, 'findCollected'> | null;
  /** What it means to stop. */
  meaning: string;
}

/** Looks through all days of a site for whom is meant. */
export const visitorsMeant = async (
  context: Pick<Context, 'stderr' | 'isTerminal' | 'now' | 'signal'>,
  db: Database,
  { site, person, cluster, meaning }: PersonAsked,
): Promise<Visitors> => {
  try {
    const found = await runDays(context, findVisitors(db, site.id, person), 'looked through', meaning);
    if ('filters' in person) await cluster?.findCollected(site.id, person.filters, found);
    return found;
  } catch (error) {
    if (!(error instanceof TooManyVisitors)) throw error;
    const most = formatCount(visitorsMax);
    throw new CommandError(
      `These are more than ${most} visitors, and nobody is so many: name the person more closely.`,
    );
  }
};
