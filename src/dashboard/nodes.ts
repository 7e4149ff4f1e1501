/** The servers of a cluster, and a clock that is doubted, for whoever runs them. */
import { isoTimeOrNull, utcDayName } from '../model/time.ts';
import type { ClockLeap } from '../store/trusted-day.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, get, ok } from './route.ts';
import type { NodeList } from './wire.ts';

export const nodeRoutes = ({ nodes, clockLeap }: Pick<AppParts, 'nodes' | 'clockLeap'>): DashboardRoute[] => [
  get('/app/nodes', 'operator', () =>
    ok<NodeList>({
      clockLeap: leapNames(clockLeap?.() ?? null),
      data: nodes().map(({ seenAt, ...node }) => ({
        ...node,
        seenAt: isoTimeOrNull(seenAt),
      })),
    }),
  ),
];

const leapNames = (leap: ClockLeap | null): NodeList['clockLeap'] =>
  leap && { clock: utcDayName(leap.clock), day: utcDayName(leap.day) };
