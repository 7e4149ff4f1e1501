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
import { bandsOf, heightOf, placesOf, type StepPlace } from './journey-layout.ts';
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
              isShown
              label={t('journey.direction')}
              choice="_direction"
              tabs={journeyDirections.map(name => ({ name, label: t(`journey.direction.${name}`) }))}
              current={asked.direction}
              voids={voids}
            />
            {shows.length > 1 && (
              <Tabs
                isShown
                label={t('journey.steps')}
                choice="_show"
                tabs={shows.map(name => ({ name, label: t(`journey.show.${name}`) }))}
                current={asked.show}
                voids={voids}
              />
            )}
            {asked.show !== 'events' && (
              <Tabs
                isShown
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
  <Empty drawing="steps">
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
          <Level
            key={`${place} ${via.slice(0, place).join()}`}
            {...{ level, place, ...asked }}
            next={place < via.length ? levels[place + 1] : undefined}
          />
        ))}
      </div>
    </>
  );
};

const headingOf = (step: string | null, direction: Asked['direction']): string => {
  if (step === null) return t(direction === 'after' ? 'journey.firstStep' : 'journey.lastStep');
  return t(direction === 'after' ? 'journey.afterStep' : 'journey.beforeStep', { step: stepLabel(step) });
};

interface LevelProps extends Asked {
  level: JourneyAnswerLevel;
  place: number;
  /** What is open beside it. */
  next: JourneyAnswerLevel | undefined;
}

const Level = ({ level, place, next, ...asked }: LevelProps) => {
  const { anchor, via, direction } = asked;
  const heading = headingOf(place === 0 ? anchor : via[place - 1]!, direction);
  const steps = stepsOf(level, direction, place < journeyLevelsMax - 1);
  const places = placesOf(steps.map(({ count }) => count));
  const chosen = places[steps.findIndex(({ step }) => step !== null && step === via[place])];
  return (
    <>
      <section class="journey-level" aria-label={heading}>
        <h3>
          <span class="cut" title={heading}>
            {heading}
          </span>
          <span class="hint">{t('count.visits', { count: level.visits })}</span>
        </h3>
        <ol class="journey-steps" style={{ '--height': `${heightOf(places)}px` }}>
          {steps.map((one, i) => (
            <Step key={one.step ?? one.name} {...{ one, place, via }} at={places[i]!} of={level.visits} />
          ))}
        </ol>
      </section>
      {next !== undefined && chosen !== undefined && (
        <Bands from={chosen} steps={stepsOf(next, direction, false)} chosen={via[place + 1]} />
      )}
    </>
  );
};

interface JourneyRow {
  name: string;
  count: number;
  /** As the address names it. */
  step: string | null;
  /** A click opens what came next. */
  isOpen: boolean;
  kind: 'page' | 'event' | 'others' | 'end';
}

/** The rows of a level: its steps, the others, and the visits that end or begin there. */
const stepsOf = ({ data, other, end }: JourneyAnswerLevel, direction: Asked['direction'], mayOpen: boolean) => [
  ...data.map(
    (row): JourneyRow => ({
      name: stepWords(row).name,
      count: row.visits,
      step: row.step,
      isOpen: mayOpen,
      kind: row.kind === 'event' ? 'event' : 'page',
    }),
  ),
  ...rest('others', t('journey.others', { count: other.steps }), other.visits),
  ...rest('end', t(direction === 'after' ? 'journey.left' : 'journey.began'), end.visits),
];

const rest = (kind: 'others' | 'end', name: string, count: number): JourneyRow[] =>
  count === 0 ? [] : [{ name, count, step: null, isOpen: false, kind }];

/** From the chosen step to each that came next; none on a phone, where columns are rows. */
const Bands = ({
  from,
  steps,
  chosen,
}: {
  from: StepPlace;
  steps: readonly JourneyRow[];
  chosen: string | undefined;
}) => {
  const counts = steps.map(({ count }) => count);
  const places = placesOf(counts);
  const height = Math.max(heightOf(places), from.topPx + from.heightPx);
  return (
    <svg
      class="journey-bands"
      viewBox={`0 0 100 ${height}`}
      height={height}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {bandsOf(from, counts, places).map((d, i) => {
        const { step, kind } = steps[i]!;
        return <path key={d} d={d} class={step !== null && step === chosen ? 'on' : kind} />;
      })}
    </svg>
  );
};

interface StepProps {
  one: JourneyRow;
  at: StepPlace;
  /** Visits of the level. */
  of: number;
  place: number;
  via: readonly string[];
}

const Step = ({ one: { name, count, step, isOpen, kind }, at, of, place, via }: StepProps) => {
  const { search, href } = useAddress();
  const isChosen = step !== null && via[place] === step;
  const next = [...via.slice(0, place), ...(isChosen || step === null ? [] : [step])];
  return (
    <li
      class={`journey-step ${kind}${isChosen ? ' chosen' : ''}${at.heightPx > 60 ? ' tall' : ''}`}
      style={{ '--top': `${at.topPx}px`, '--high': `${at.heightPx}px` }}
    >
      {isOpen ? (
        <a
          class="row-link"
          href={href(withChoices(search, '_via', next))}
          title={name}
          aria-current={isChosen ? 'true' : undefined}
        >
          {name}
        </a>
      ) : (
        <span class="row-link soft" title={name}>
          {name}
        </span>
      )}
      {kind === 'event' && <span class="kind">{t('journey.event')}</span>}
      <b>{formatNumber(count)}</b>
      <span class="journey-share">{formatShare(count, of)}</span>
    </li>
  );
};
