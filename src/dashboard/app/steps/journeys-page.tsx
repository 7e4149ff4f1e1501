/**
 * Journeys: what people did next, or before. Each column is a level, and a click on one of its rows
 * opens the next. What is open is in the address.
 */

import { useState } from 'preact/hooks';
import { filterFields, isDefinedField } from '../../../model/filters.ts';
import { type JourneyShow, journeyDirections, journeyShows } from '../../../model/journey-steps.ts';
import { journeyLevelsMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import type { JourneyAnswerLevel } from '../answers.ts';
import { isShown, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { Controls } from '../controls/controls.tsx';
import { formatNumber, formatShare } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { chosenTab, Tabs } from '../parts/tabs.tsx';
import { askedSearch, searchText, withChoice, withChoices } from '../question.ts';
import { pagePath } from '../routes.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { stepLabel, stepWords } from './conditions.ts';
import { StepDialog } from './step-dialog.tsx';

const foldersShown = ['0', '1', '2'] as const;

/** A journey knows of no names. */
const anchorFields = filterFields.filter(field => !isDefinedField(field));

interface Asked {
  anchor: string | null;
  via: string[];
  direction: 'after' | 'before';
  show: JourneyShow;
  folder: string;
}

const askedOf = (search: URLSearchParams, shows: readonly JourneyShow[]): Asked => ({
  anchor: search.get('_anchor'),
  via: search.getAll('_via').slice(0, journeyLevelsMax - 1),
  direction: chosenTab(search, '_direction', journeyDirections),
  show: chosenTab(search, '_show', shows),
  folder: chosenTab(search, '_folder', foldersShown),
});

export const JourneysPage = () => {
  const { search } = useAddress();
  const state = useSite();
  const { site } = state;
  const shows = journeyShows.filter(name => name === 'pages' || isShown(state, 'events'));
  const asked = askedOf(search, shows);
  const question = askedSearch(search);
  if (asked.anchor !== null) question.set('anchor', asked.anchor);
  for (const step of asked.via) question.append('via', step);
  for (const name of ['direction', 'show', 'folder'] as const) question.set(name, asked[name]);
  const answer = useAnswer(askSite(site, 'ext/journey', question));
  const voids = ['_via'] as const;
  return (
    <>
      <Controls />
      <section class="panel" aria-label={t('journey.title')}>
        <header class="panel-head journey-head">
          <Anchor {...asked} />
          <div class="journey-choices">
            <Tabs
              label={t('journey.direction')}
              choice="_direction"
              tabs={journeyDirections.map(name => ({ name, label: t(`journey.direction.${name}`) }))}
              current={asked.direction}
              voids={voids}
            />
            {shows.length > 1 && (
              <Tabs
                label={t('journey.steps')}
                choice="_show"
                tabs={shows.map(name => ({ name, label: t(`journey.show.${name}`) }))}
                current={asked.show}
                voids={voids}
              />
            )}
            {asked.show !== 'events' && (
              <Tabs
                label={t('journey.grouping')}
                choice="_folder"
                tabs={foldersShown.map(name => ({ name, label: t(`journey.folder.${name}`) }))}
                current={asked.folder as '0'}
                voids={voids}
              />
            )}
          </div>
        </header>
        <Answered answer={answer}>
          {({ levels }) => (levels[0]!.visits === 0 ? <NoVisits {...asked} /> : <Levels levels={levels} {...asked} />)}
        </Answered>
      </section>
    </>
  );
};

/** What the journey begins with, and a way to begin with something else. */
const Anchor = ({ anchor, direction }: Asked) => {
  const { search, ask } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const from = (condition: string | null): URLSearchParams =>
    withChoice(withChoices(search, '_via', []), '_anchor', condition);
  const whole = t(direction === 'after' ? 'journey.beginning' : 'journey.end');
  return (
    <h2 class="journey-anchor">
      <span>{t(`journey.${direction}`)}</span>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {anchor === null ? whole : stepLabel(anchor)}
        <Icon name="down" />
      </button>
      {anchor !== null && (
        <button
          type="button"
          class="icon-button"
          aria-label={t(direction === 'after' ? 'journey.backToBeginning' : 'journey.backToEnd')}
          onClick={() => ask(from(null))}
        >
          <Icon name="close" />
        </button>
      )}
      {isOpen && (
        <StepDialog
          title={t('journey.anchor')}
          submit={t('journey.choose')}
          fields={anchorFields}
          onChoose={condition => ask(from(condition))}
          onClose={() => setOpen(false)}
        />
      )}
    </h2>
  );
};

const NoVisits = ({ anchor }: Asked) => (
  <Empty>
    <p>{anchor === null ? t('journey.noVisits') : t('journey.noVisitsTo', { step: stepLabel(anchor) })}</p>
    <p class="hint">{t(anchor === null ? 'journey.noVisits.note' : 'journey.noVisitsTo.note')}</p>
  </Empty>
);

/** Until a shorter way is answered, the levels beyond it are those of the way before. */
const Levels = ({ levels, ...asked }: Asked & { levels: readonly JourneyAnswerLevel[] }) => {
  const { search } = useAddress();
  const { base } = useSite();
  const { anchor, via, direction } = asked;
  const steps = [...(anchor === null ? [] : [anchor]), ...via];
  const funnel = withChoices(new URLSearchParams(askedSearch(search)), '_step', steps);
  return (
    <>
      <p class="hint steps-note">
        {t(`journey.hint.${direction}`, { count: levels[0]!.visits })}
        {direction === 'after' && steps.length > 1 && (
          <>
            {' '}
            <a href={pagePath(base, 'funnels') + searchText(funnel)}>{t('journey.asFunnel')}</a>
          </>
        )}
      </p>
      <div class="journey">
        {levels.slice(0, via.length + 1).map((level, place) => (
          <Level key={`${place} ${via.slice(0, place).join()}`} level={level} place={place} {...asked} />
        ))}
      </div>
    </>
  );
};

const headingOf = (step: string | null, direction: Asked['direction']): string => {
  if (step === null) return t(direction === 'after' ? 'journey.firstStep' : 'journey.lastStep');
  return t(direction === 'after' ? 'journey.afterStep' : 'journey.beforeStep', { step: stepLabel(step) });
};

const Level = ({ level, place, ...asked }: Asked & { level: JourneyAnswerLevel; place: number }) => {
  const { anchor, via, direction } = asked;
  const { visits, data, end, other } = level;
  const step = place === 0 ? anchor : via[place - 1]!;
  const heading = headingOf(step, direction);
  const most = Math.max(...data.map(row => row.visits), end.visits, other.visits, 1);
  const isLast = place === journeyLevelsMax - 1;
  return (
    <section class="journey-level" aria-label={heading}>
      <h3 class="cut" title={heading}>
        {heading}
      </h3>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">{t('journey.step')}</th>
            <th scope="col" class="number">
              {t('common.visits')}
            </th>
            <th scope="col" class="number share">
              {t('journey.share')}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.map(row => (
            <Row
              key={row.step}
              {...{ visits, most }}
              count={row.visits}
              name={stepWords(row).name}
              isEvent={row.kind === 'event'}
              step={isLast ? null : row.step}
              place={place}
              via={via}
            />
          ))}
          {other.visits > 0 && (
            <Row
              {...{ visits, most, place, via }}
              count={other.visits}
              name={t('journey.others', { count: other.steps })}
              step={null}
            />
          )}
          {end.visits > 0 && (
            <Row
              {...{ visits, most, place, via }}
              count={end.visits}
              name={t(direction === 'after' ? 'journey.left' : 'journey.began')}
              step={null}
              isEnd
            />
          )}
        </tbody>
      </table>
    </section>
  );
};

interface RowProps {
  name: string;
  count: number;
  /** Visits of the level. */
  visits: number;
  most: number;
  /** What it opens; null: nothing. */
  step: string | null;
  place: number;
  via: readonly string[];
  isEvent?: boolean;
  isEnd?: boolean;
}

const Row = ({ name, count, visits, most, step, place, via, isEvent = false, isEnd = false }: RowProps) => {
  const { search, href } = useAddress();
  const isOpen = step !== null && via[place] === step;
  const next = [...via.slice(0, place), ...(isOpen || step === null ? [] : [step])];
  return (
    <tr class={isOpen ? 'chosen' : isEnd ? 'journey-end' : undefined}>
      <td class="row-name">
        <span class="row-bar" style={{ width: `${(count / most) * 100}%` }} />
        {step === null ? (
          <span class="row-link soft">{name}</span>
        ) : (
          <a
            class="row-link"
            href={href(withChoices(search, '_via', next))}
            title={name}
            aria-current={isOpen ? 'true' : undefined}
          >
            {name}
          </a>
        )}
        {isEvent && <span class="kind">{t('journey.event')}</span>}
      </td>
      <td class="number">{formatNumber(count)}</td>
      <td class="number share">{formatShare(count, visits)}</td>
    </tr>
  );
};
