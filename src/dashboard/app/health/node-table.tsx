/** The servers of a cluster, for whoever runs it. Nothing where there is none. */
import type { NodeList } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { formatAgo, formatNumber, formatSeconds } from '../format.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';

type Node = NodeList['data'][number];

export const NodeTable = () => {
  const { me } = useApp();
  const nodes = useAnswer<NodeList>(me?.person.isOperator ? '/app/nodes' : null).data?.data ?? [];
  if (nodes.length === 0) return null;
  return (
    <section class="nodes" aria-label={t('health.nodes')}>
      <h2>{t('health.nodes')}</h2>
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t('health.node')}</th>
              <th scope="col">{t('health.node.seen')}</th>
              <th scope="col" class="number">
                {t('health.node.lag')}
              </th>
              <th scope="col" class="number">
                {t('health.node.waiting')}
              </th>
              <th scope="col" class="phone-minor">
                {t('health.node.version')}
              </th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node, i) => (
              <Row key={i} node={node} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
};

const Row = ({ node }: { node: Node }) => {
  const { now } = useApp();
  const { role, seenAt, lagMs, waitingHits, version, failure, address } = node;
  return (
    <tr>
      <th scope="row">
        {nameOf(node)} {address !== null && <code class="soft">{address}</code>}
        {failure !== null && <p class="field-error">{failure}</p>}
      </th>
      <td>
        {role === 'primary'
          ? t('health.node.here')
          : seenAt === null
            ? t('health.node.unseen')
            : formatAgo(seenAt, now())}
      </td>
      <td class="number">{lagMs === null ? '–' : formatSeconds(lagMs / 1000)}</td>
      <td class="number">{waitingHits === null ? '–' : formatNumber(waitingHits)}</td>
      <td class="phone-minor">{version ?? '–'}</td>
    </tr>
  );
};

const nameOf = ({ number, name, role }: Node): string => {
  if (name !== null) return name;
  if (role === 'primary') return t('health.node.primary');
  return number === null ? t('health.node.answer') : t('health.node.collector', { number: String(number) });
};
