/** How the servers of a cluster are: the primary, and those that follow it, as they last reported. */
import type { NodeState } from '../model/node-state.ts';
import { version } from '../package-root.ts';
import type { NodeView } from './control-endpoint.ts';
import type { ForwarderStats } from './forwarder.ts';

/** `own` is null until the primary brings its hits to ClickHouse. */
export const nodeStates = (own: ForwarderStats | null, followers: readonly NodeView[], now: number): NodeState[] => [
  { number: 0, role: 'primary', address: null, version, seenAt: now, ...shippingOf({ ...own }) },
  ...followers.map(({ number, last }) => ({
    number,
    role: last?.role ?? (number === null ? null : ('collect' as const)),
    address: last?.address ?? null,
    version: last?.version ?? null,
    seenAt: last?.seenAt ?? null,
    ...shippingOf(last?.stats ?? {}),
  })),
];

/** What reports say is checked: their numbers and texts are the node's own. */
const shippingOf = ({
  lagMs,
  waitingHits,
  failure,
}: Record<string, unknown>): Pick<NodeState, 'lagMs' | 'waitingHits' | 'failure'> => ({
  lagMs: typeof lagMs === 'number' ? lagMs : null,
  waitingHits: typeof waitingHits === 'number' ? waitingHits : null,
  failure: typeof failure === 'string' ? failure : null,
});
