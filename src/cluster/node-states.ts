/** How the servers of a cluster are: the primary, and its followers as they last reported. */
import type { NodeShipping, NodeState } from '../model/node-state.ts';
import { version } from '../package-root.ts';
import type { NodeView } from './control-endpoint.ts';

/** `own` is null until the primary brings its hits to ClickHouse. */
export const nodeStates = (own: NodeShipping | null, followers: readonly NodeView[], now: number): NodeState[] => [
  { number: 0, name: null, role: 'primary', address: null, version, seenAt: now, ...shippingOf(own) },
  ...followers.map(({ number, last }) => ({
    number,
    name: last?.name ?? null,
    role: last?.role ?? (number === null ? null : ('collect' as const)),
    address: last?.address ?? null,
    version: last?.version ?? null,
    seenAt: last?.seenAt ?? null,
    ...shippingOf(last),
  })),
];

const shippingOf = (stats: NodeShipping | null): NodeShipping => ({
  lagMs: stats?.lagMs ?? null,
  waitingHits: stats?.waitingHits ?? null,
  failure: stats?.failure ?? null,
});
