/** The servers of a cluster, for whoever runs it. */
import { isoTime } from '../model/time.ts';
import { defaultAccountName } from '../store/accounts/accounts.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, get, ok } from './route.ts';
import type { NodeList } from './wire.ts';

/** The account that a server begins with is the operator's. Others learn nothing of the servers. */
export const nodeRoutes = ({ nodes }: Pick<AppParts, 'nodes'>): DashboardRoute[] => [
  get('/app/nodes', (_, { account }) =>
    ok<NodeList>({
      data: (account.name === defaultAccountName ? nodes() : []).map(({ seenAt, ...node }) => ({
        ...node,
        seenAt: seenAt === null ? null : isoTime(seenAt),
      })),
    }),
  ),
];
