/** The servers of a cluster, for whoever runs it. */
import { isoTime } from '../model/time.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, get, ok } from './route.ts';
import type { NodeList } from './wire.ts';

export const nodeRoutes = ({ nodes }: Pick<AppParts, 'nodes'>): DashboardRoute[] => [
  get('/app/nodes', 'operator', () =>
    ok<NodeList>({
      data: nodes().map(({ seenAt, ...node }) => ({
        ...node,
        seenAt: seenAt === null ? null : isoTime(seenAt),
      })),
    }),
  ),
];
