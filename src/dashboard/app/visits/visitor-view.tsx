/**
 * One visitor: what is known of them, and all their visits. Without cookies a visitor is a browser
 * on one day; with them, a browser for as long as it keeps the cookie.
 */

import { useMemo } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import type { Visitor } from '../answers.ts';
import { useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { formatAmounts, formatInstant, formatNumber, formatValue } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { VisitTable, visitorSearch } from './visit-table.tsx';

export const VisitorView = ({ visitor }: { visitor: string }) => {
  const { search, href } = useAddress();
  const { site } = useSite();
  const question = useMemo(() => new URLSearchParams({ range: 'all', q: visitor }), [visitor]);
  const answer = useAnswer(askSite(site, 'ext/visitor', { visitor }), visitor);
  const name = answer.data?.identified;
  return (
    <>
      <div class="detail-head">
        <a
          class="icon-button"
          href={href(visitorSearch(search, null))}
          aria-label={t('visitor.back')}
          data-tip={t('visitor.back')}
        >
          <Icon name="left" />
        </a>
        <h2 class="detail-title">{name ?? t('visitor.title')}</h2>
        <code class="soft">{visitor}</code>
      </div>
      <p class="hint">{t(site.identityMode === 'hash' ? 'visitor.hint.hash' : 'visitor.hint.cookie')}</p>
      <Answered answer={answer} waiting={<SkeletonRows count={3} />}>
        {known =>
          known.visits === 0 ? (
            <Empty>{t('visitor.none')}</Empty>
          ) : (
            <>
              <Figures known={known} />
              <Traits traits={known.traits} />
            </>
          )
        }
      </Answered>
      <VisitTable question={question} isOfOne />
    </>
  );
};

const Figures = ({ known }: { known: Visitor }) => {
  const { site } = useSite();
  const { now } = useApp();
  const at = (iso: string | null): string => (iso === null ? '–' : formatInstant(iso, site.timezone, now()));
  const numbers: [label: string, value: string][] = [
    [t('visitor.visits'), formatNumber(known.visits)],
    [t('visitor.pageviews'), formatNumber(known.pageviews)],
    [t('visitor.events'), formatNumber(known.events)],
    [t('visitor.revenue'), formatAmounts(known, site.currency)],
  ];
  const times: [label: string, value: string][] = [
    [t('visitor.firstSeen'), at(known.firstSeen)],
    [t('visitor.lastSeen'), at(known.lastSeen)],
  ];
  return (
    <dl class="figures few sheet">
      {[...numbers, ...times].map(([label, value], i) => (
        <div key={label} class="figure" data-figure={label}>
          <dt>{label}</dt>
          <dd>
            <span class={i < numbers.length ? 'figure-value' : 'figure-value small'}>{value}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
};

/** What the page told of the visitor. */
const Traits = ({ traits }: Pick<Visitor, 'traits'>) =>
  traits.length === 0 ? null : (
    <section class="traits" aria-label={t('visitor.traits')}>
      <h3>{t('visitor.traits')}</h3>
      <dl>
        {traits.map(({ key, value }) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{formatValue(String(value))}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
