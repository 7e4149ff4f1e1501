/** How the servers of a cluster are: the primary, and its followers as they last reported. */
import type { NodeShipping, NodeState } from '../model/node-state.ts';
import { version } from '../package-root.ts';
import { roles } from '../store/control.ts';
import type { ControlEndpoint } from './control-endpoint.ts';

/** `own` is null until the primary brings its hits to ClickHouse. */
export const nodeStates = (
  own: NodeShipping | null,
  { nodes, invited }: Pick<ControlEndpoint, 'nodes' | 'invited'>,
  now: number,
): NodeState[] => {
  const seen = nodes();
  const names = new Set(seen.map(({ name }) => name));
  const silent = invited().filter(({ name }) => !names.has(name));
  const unknown = { identity: '', address: null, version: null, seenAt: null, ...shippingOf(null) };
  const followers = [...seen, ...silent.map(of => ({ ...of, ...unknown }))].map(of => ({
    place: `${roles.indexOf(of.role)} ${of.name ?? ''} ${of.identity}`,
    state: { ...pick(of), ...shippingOf(of) },
  }));
  followers.sort((a, b) => (a.place < b.place ? -1 : 1));
  return [
    { name: null, role: 'primary', address: null, version, seenAt: now, ...shippingOf(own) },
    ...followers.map(({ state }) => state),
  ];
};

const pick = ({ name, role, address, version, seenAt }: Omit<NodeState, keyof NodeShipping>) => ({
  ...{ name, role, address, version, seenAt },
});

const shippingOf = (stats: NodeShipping | null): NodeShipping => ({
  lagMs: stats?.lagMs ?? null,
  waitingHits: stats?.waitingHits ?? null,
  failure: stats?.failure ?? null,
});
