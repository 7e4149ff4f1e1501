/**
 * Journeys: what people did next, or before. Each column is a level, and a click on one of its rows
 * opens the next. What is open is in the address.
 */
import { useState } from 'preact/hooks';
import { filterFields, isDefinedField } from '../../../model/filters.ts';
import { type JourneyShow, journeyDirections, journeyShows } from '../../../model/journey-steps.ts';
import { journeyLevelsMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import type { Journey, JourneyLevel } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { Controls } from '../controls/controls.tsx';
import { formatCount, formatNumber, formatShare } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { chosenTab, Tabs } from '../parts/tabs.tsx';
import { askedSearch, searchText, withChoice, withChoices } from '../question.ts';
import { pagePath } from '../routes.ts';
import { useAnswer } from '../use-answer.ts';
import { stepLabel, stepWords } from './conditions.ts';
import { StepDialog } from './step-dialog.tsx';

const directions = [
  { name: 'after', label: 'What came next' },
  { name: 'before', label: 'What came before' },
] as const;
const shows = [
  { name: 'pages', label: 'Pages' },
  { name: 'events', label: 'Events' },
  { name: 'all', label: 'Both' },
] as const;
const foldersShown = ['0', '1', '2'] as const;
const folders = [
  { name: '0', label: 'Each page' },
  { name: '1', label: 'Folders' },
  { name: '2', label: 'Two levels' },
] as const;

/** A journey knows of no names. */
const anchorFields = filterFields.filter(field => !isDefinedField(field));

interface Asked {
  anchor: string | null;
  via: string[];
  direction: 'after' | 'before';
  show: JourneyShow;
  folder: string;
}

const askedOf = (search: URLSearchParams): Asked => ({
  anchor: search.get('_anchor'),
  via: search.getAll('_via').slice(0, journeyLevelsMax - 1),
  direction: chosenTab(search, '_direction', journeyDirections),
  show: chosenTab(search, '_show', journeyShows),
  folder: chosenTab(search, '_folder', foldersShown),
});

export const JourneysPage = () => {
  const { search } = useAddress();
  const { site } = useSite();
  const asked = askedOf(search);
  const question = askedSearch(search);
  if (asked.anchor !== null) question.set('anchor', asked.anchor);
  for (const step of asked.via) question.append('via', step);
  for (const name of ['direction', 'show', 'folder'] as const) question.set(name, asked[name]);
  const answer = useAnswer<Journey>(`/api/ext/sites/${site.id}/journey${searchText(question)}`);
  const voids = ['_via'] as const;
  return (
    <>
      <Controls />
      <section class="panel" aria-label="Journey">
        <header class="panel-head journey-head">
          <Anchor {...asked} />
          <div class="journey-choices">
            <Tabs label="Direction" choice="_direction" tabs={directions} current={asked.direction} voids={voids} />
            <Tabs label="Steps" choice="_show" tabs={shows} current={asked.show} voids={voids} />
            {asked.show !== 'events' && (
              <Tabs
                label="Grouping of pages"
                choice="_folder"
                tabs={folders}
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
  const whole = direction === 'after' ? 'the beginning of the visit' : 'the end of the visit';
  return (
    <h2 class="journey-anchor">
      <span>{direction === 'after' ? 'After' : 'Before'}</span>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {anchor === null ? whole : stepLabel(anchor)}
        <Icon name="down" />
      </button>
      {anchor !== null && (
        <button type="button" class="icon-button" aria-label={`Back to ${whole}`} onClick={() => ask(from(null))}>
          <Icon name="close" />
        </button>
      )}
      {isOpen && (
        <StepDialog
          title="Page or event to look from"
          submit="Choose"
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
    <p>{anchor === null ? 'No visits in this period.' : `No visit came to ${stepLabel(anchor)} in this period.`}</p>
    <p class="hint">Choose a longer period, or {anchor === null ? 'remove a filter' : 'another page or event'}.</p>
  </Empty>
);

const Levels = ({ levels, ...asked }: Asked & { levels: readonly JourneyLevel[] }) => {
  const { search } = useAddress();
  const { base } = useSite();
  const { anchor, via, direction } = asked;
  const steps = [...(anchor === null ? [] : [anchor]), ...via];
  const funnel = withChoices(new URLSearchParams(askedSearch(search)), '_step', steps);
  return (
    <>
      <p class="hint steps-note">
        {formatCount(levels[0]!.visits, 'visit')}. Choose a step to see what came{' '}
        {direction === 'after' ? 'after' : 'before'} it.
        {direction === 'after' && steps.length > 1 && (
          <>
            {' '}
            <a href={pagePath(base, 'funnels') + searchText(funnel)}>Show as a funnel</a>
          </>
        )}
      </p>
      <div class="journey">
        {levels.map((level, place) => (
          <Level key={`${place} ${via.slice(0, place).join()}`} level={level} place={place} {...asked} />
        ))}
      </div>
    </>
  );
};

const Level = ({ level, place, ...asked }: Asked & { level: JourneyLevel; place: number }) => {
  const { anchor, via, direction } = asked;
  const { visits, data, end, other } = level;
  const word = direction === 'after' ? 'After' : 'Before';
  const step = place === 0 ? anchor : via[place - 1]!;
  const heading = step === null ? `${direction === 'after' ? 'First' : 'Last'} step` : `${word} ${stepLabel(step)}`;
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
            <th scope="col">Step</th>
            <th scope="col" class="number">
              Visits
            </th>
            <th scope="col" class="number share">
              Share
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
              name={`${formatNumber(other.steps)} other${other.steps === 1 ? '' : 's'}`}
              step={null}
            />
          )}
          {end.visits > 0 && (
            <Row
              {...{ visits, most, place, via }}
              count={end.visits}
              name={direction === 'after' ? 'Left the site' : 'Began the visit here'}
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
        {isEvent && <span class="kind">Event</span>}
      </td>
      <td class="number">{formatNumber(count)}</td>
      <td class="number share">{formatShare(count, visits)}</td>
    </tr>
  );
};
