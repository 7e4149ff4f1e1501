/** A site's first page: the figures, their course over time, and what they consist of. */

import { useRef } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { comparisonLabel } from '../controls/comparison-label.ts';
import { Controls, ExportLink } from '../controls/controls.tsx';
import { lazy } from '../parts/lazy.tsx';
import { UsedUpAlarm } from '../parts/other-texts.tsx';
import { askedSearch } from '../question.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { chosenComparison, comparisonDefault } from './choices.ts';
import { GoalsPanel } from './goals-panel.tsx';
import { Headline } from './headline.tsx';
import { Panel, PlacesPanel } from './panel.tsx';
import { panels } from './panels.ts';
import { Trend } from './trend.tsx';

/** Only a rollup has several. */
const SitesPanel = lazy(async () => (await import('../overlays.ts')).SitesPanel);
/** Needed only until a site's first hit. */
const FirstHit = lazy(async () => (await import('../form-pages.ts')).FirstHit);

export const Overview = () => {
  const { search } = useAddress();
  const { site, own } = useSite();
  const members = own?.members ?? null;
  const compare = chosenComparison(search);
  const asked = askedSearch(search);
  if (compare !== comparisonDefault) asked.set('compare', compare);
  const stats = useAnswer(askSite(site, 'stats', asked));
  // Stays true, so that the page can say that the first hit has arrived.
  const wasEmpty = useRef(false);
  if (stats.data?.visits === 0) wasEmpty.current = true;
  const total = stats.pending ? undefined : (stats.data?.visitors ?? undefined);
  const comparedWith = comparisonLabel(compare);
  return (
    <>
      <Controls hasComparison>
        <ExportLink label={t('events.export')} />
      </Controls>
      {own?.members === null && wasEmpty.current && <FirstHit site={own} />}
      {own !== null && stats.data !== undefined && <UsedUpAlarm />}
      <Headline answer={stats} comparedWith={comparedWith} />
      <Trend comparedWith={comparedWith} />
      <div class="panels">
        {members !== null && (
          <section class="panel whole" aria-label={t('sites.title')} style={{ '--rows': members.length }}>
            <SitesPanel />
          </section>
        )}
        <Panel panel={panels.pages} total={total} />
        <Panel panel={panels.sources} total={total} />
        <PlacesPanel panel={panels.places} total={total} />
        <Panel panel={panels.technology} total={total} />
        <Panel panel={panels.events} total={total} />
        <GoalsPanel />
      </div>
    </>
  );
};
