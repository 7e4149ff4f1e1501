/** The servers of a cluster and a clock that is doubted, for whoever runs them. Mostly nothing. */
import type { NodeList } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { formatAgo, formatDay, formatNumber, formatSeconds } from '../format.ts';
import { noValue } from '../metric-text.ts';
import { Table, type TableColumn } from '../parts/table.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';

type Node = NodeList['data'][number];

const none: NodeList = { data: [], clockLeap: null };

export const Servers = () => {
  const { me } = useApp();
  const { data, clockLeap } = useAnswer<NodeList>(me?.person.isOperator ? '/app/nodes' : null).data ?? none;
  return (
    <>
      {clockLeap !== null && <LeapNote {...clockLeap} />}
      {data.length > 0 && <NodeTable nodes={data} />}
    </>
  );
};

const LeapNote = ({ clock, day }: NonNullable<NodeList['clockLeap']>) => (
  <p class="field-error" role="status">
    {t('health.clockLeap', { clock: formatDay(clock), day: formatDay(day) })}
  </p>
);

const NodeTable = ({ nodes }: { nodes: readonly Node[] }) => {
  const { now } = useApp();
  const columns: TableColumn<Node>[] = [
    { name: 'node', head: t('health.node'), isName: true, cell: node => <Name node={node} /> },
    { name: 'seen', head: t('health.node.seen'), cell: node => seenText(node, now()) },
    {
      ...{ name: 'lag', head: t('health.node.lag'), class: 'number' },
      cell: ({ lagMs }) => (lagMs === null ? noValue : formatSeconds(lagMs / 1000)),
    },
    {
      ...{ name: 'waiting', head: t('health.node.waiting'), class: 'number' },
      cell: ({ waitingHits }) => (waitingHits === null ? noValue : formatNumber(waitingHits)),
    },
    {
      ...{ name: 'version', head: t('health.node.version'), class: 'phone-minor' },
      cell: ({ version }) => version ?? noValue,
    },
  ];
  return (
    <section class="nodes" aria-label={t('health.nodes')}>
      <h2>{t('health.nodes')}</h2>
      <div class="table-scroll">
        <Table columns={columns} rows={nodes} keyOf={(_, i) => i} />
      </div>
    </section>
  );
};

const Name = ({ node }: { node: Node }) => (
  <>
    {nameOf(node)} {node.address !== null && <code class="soft">{node.address}</code>}
    {node.failure !== null && <p class="field-error">{node.failure}</p>}
  </>
);

const seenText = ({ role, seenAt }: Node, now: number): string => {
  if (role === 'primary') return t('health.node.here');
  return seenAt === null ? t('health.node.unseen') : formatAgo(seenAt, now);
};

const nameOf = ({ name, role }: Node): string => name ?? t(`health.node.${role}`);
