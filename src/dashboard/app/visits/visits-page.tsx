/** Visits: who came, from where, and what they did. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { visitChipNames } from '../../../model/figures.ts';
import { useAddress } from '../address.tsx';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { Controls, ExportLink } from '../controls/controls.tsx';
import { SpamLink } from '../crawlers/suspects.tsx';
import { Toggle } from '../parts/toggle.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { askedSearch, filterGroups, withChoice, withChoices } from '../question.ts';
import { stepLabel } from '../steps/conditions.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { VisitTable, visitParameters } from './visit-table.tsx';
import { VisitorView } from './visitor-view.tsx';

export const VisitsPage = () => {
  const { search } = useAddress();
  const visitor = search.get('_visitor');
  if (visitor !== null) return <VisitorView key={visitor} visitor={visitor} />;
  return (
    <>
      <Controls>
        <ExportLink label={t('visits.export')} extra={{ mode: 'sessions', ...visitParameters(search) }} />
      </Controls>
      <div class="visit-tools">
        <Search />
        <Chips />
        {filterGroups(search).length > 0 && <SpamLink label={t('visits.remove')} />}
        <Total />
      </div>
      <ThroughSteps />
      <VisitTable />
    </>
  );
};

/**
 * The text goes into the address once typing pauses. It replaces the entry of the history: nobody
 * wants to go back letter by letter.
 */
const Search = () => {
  const { search, ask } = useAddress();
  const [text, setText] = useState(search.get('_q') ?? '');
  const settled = useSettled(text);
  const latest = useRef({ search, ask });
  latest.current = { search, ask };

  useEffect(() => {
    const { search: now, ask: askNow } = latest.current;
    if ((now.get('_q') ?? '') === settled) return;
    askNow(withChoice(now, '_q', settled, ''), { replace: true });
  }, [settled]);

  return (
    <input
      type="search"
      class="search"
      placeholder={t('visits.search')}
      aria-label={t('visits.search')}
      data-tip={t('visits.search.note')}
      data-shortcut="search"
      value={text}
      onInput={event => setText(event.currentTarget.value)}
    />
  );
};

/** How many visits there are, where the table shows all of them. */
const Total = () => {
  const { search } = useAddress();
  const { site } = useSite();
  const isWhole = ['q', 'step', ...visitChipNames].every(name => !search.has(`_${name}`));
  const path = askSite(site, 'stats', askedSearch(search));
  const { data } = useAnswer(isWhole ? path : null);
  const visits = data?.visits ?? null;
  return visits === null ? null : <p class="visit-total soft">{t('count.visits', { count: visits })}</p>;
};

/** The steps of a funnel that all visits here went through. */
const ThroughSteps = () => {
  const { search, href } = useAddress();
  const steps = search.getAll('_step');
  if (steps.length === 0) return null;
  return (
    <p class="hint through-steps">
      {t('visits.through')}{' '}
      {steps.map((step, i) => (
        <span key={`${i} ${step}`}>
          {i > 0 && ' → '}
          <strong>{stepLabel(step)}</strong>
        </span>
      ))}{' '}
      <a href={href(withChoices(search, '_step', []))}>{t('visits.all')}</a>
    </p>
  );
};

const Chips = () => {
  const { search } = useAddress();
  return (
    <ul class="quick-chips" aria-label={t('visits.only')}>
      {visitChipNames.map(name => {
        const isOn = search.has(`_${name}`);
        return (
          <li key={name}>
            <Toggle
              class="quick-chip"
              isOn={isOn}
              next={withChoice(search, `_${name}`, isOn ? null : '1')}
              tip={t(`visits.${name}.meaning`)}
            >
              {t(`visits.${name}`)}
            </Toggle>
          </li>
        );
      })}
    </ul>
  );
};
