/** A site's first page: the figures, their course over time, and what they consist of. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { comparisonLabel } from '../controls/comparison-label.ts';
import { Controls, ExportLink } from '../controls/controls.tsx';
import { lazy } from '../parts/lazy.tsx';
import { UsedUpAlarm } from '../parts/other-texts.tsx';
import { formPages } from '../pieces.ts';
import { askedSearch } from '../question.ts';
import { pagePath } from '../routes.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { chosenComparison, comparisonDefault } from './choices.ts';
import { GoalsPanel } from './goals-panel.tsx';
import { Headline } from './headline.tsx';
import { Panel, PlacesPanel } from './panel.tsx';
import { panels } from './panels.ts';
import { Trend, useSeries } from './trend.tsx';

/** Only a rollup has several. */
const SitesPanel = lazy(async () => (await import('../overlays.ts')).SitesPanel);
/** Needed only until a site's first hit. */
const FirstHit = lazy(async () => (await formPages()).FirstHit);

/** Which panels stand below each other, by the number of columns: each has its own height. */
const stacksOf: Record<1 | 2 | 3, (keyof typeof panels | 'goals')[][]> = {
  1: [['pages', 'sources', 'places', 'goals', 'events', 'technology']],
  2: [
    ['pages', 'technology', 'events'],
    ['sources', 'places', 'goals'],
  ],
  3: [['pages', 'events'], ['sources', 'technology', 'goals'], ['places']],
};

const widths = { 3: '(min-width: 1760px)', 2: '(min-width: 861px)' } as const;
const columnsNow = (): 1 | 2 | 3 => (matchMedia(widths[3]).matches ? 3 : matchMedia(widths[2]).matches ? 2 : 1);

const useColumns = (): 1 | 2 | 3 => {
  const [columns, setColumns] = useState(columnsNow);
  useEffect(() => {
    const look = (): void => setColumns(columnsNow());
    addEventListener('resize', look);
    return () => removeEventListener('resize', look);
  }, []);
  return columns;
};

/** A click on what was seen first does not wait for the rest. */
const laterMs = 200;

/** Whether the first numbers of this question are there, and painted. */
const useIsLater = (question: string, isPending: boolean): boolean => {
  const [painted, setPainted] = useState<string | null>(null);
  useEffect(() => {
    if (isPending) return;
    const timer = setTimeout(() => setPainted(question), laterMs);
    return () => clearTimeout(timer);
  }, [question, isPending]);
  return painted === question;
};

export const Overview = () => {
  const { search } = useAddress();
  const { site, own, base, rights } = useSite();
  const members = own?.members ?? null;
  const compare = chosenComparison(search);
  const asked = askedSearch(search);
  if (compare !== comparisonDefault) asked.set('compare', compare);
  const stats = useAnswer(askSite(site, 'stats', asked));
  // Stays true, so that the page can say that the first hit has arrived.
  const wasEmpty = useRef(false);
  if (stats.data?.visits === 0) wasEmpty.current = true;
  const total = stats.pending ? undefined : (stats.data?.visitors ?? undefined);
  // Stays true too: a filter must not move figures and columns about.
  const earned = useRef(false);
  if (stats.data !== undefined && ((stats.data.revenue ?? 0) !== 0 || (stats.data.previous?.revenue ?? 0) !== 0))
    earned.current = true;
  const hasRevenue = earned.current;
  const isLater = useIsLater(asked.toString(), stats.pending);
  const slice = { total, hasRevenue, isLater };
  const comparedWith = comparisonLabel(compare);
  const [suited, series] = useSeries();
  const stacks = stacksOf[useColumns()]!;
  return (
    <>
      <Controls hasComparison>
        {rights.has('share') && (
          <a class="button quiet" href={`${pagePath(base, 'settings')}?_section=share`}>
            {t('overview.share')}
          </a>
        )}
        <ExportLink label={t('events.export')} />
      </Controls>
      {own?.members === null && wasEmpty.current && <FirstHit site={own} />}
      {rights.has('settings') && stats.data !== undefined && <UsedUpAlarm />}
      <div class="hero">
        <Headline answer={stats} hasRevenue={hasRevenue} series={series.data} comparedWith={comparedWith} />
        <Trend answer={series} suited={suited} comparedWith={comparedWith} />
      </div>
      {members !== null && (
        <section class="panel whole" aria-label={t('sites.title')} style={{ '--rows': members.length }}>
          <SitesPanel />
        </section>
      )}
      <div class="panels">
        {stacks.map((names, i) => (
          <div key={i} class="panel-stack">
            {names.map(name =>
              name === 'goals' ? (
                <GoalsPanel key={name} />
              ) : name === 'places' ? (
                <PlacesPanel key={name} panel={panels.places} {...slice} />
              ) : (
                <Panel key={name} panel={panels[name]} {...slice} />
              ),
            )}
          </div>
        ))}
      </div>
    </>
  );
};
