/**
 * Funnels: how many go from step to step, and where the others are lost. The steps are in the
 * address, so a link shows the same funnel.
 */

import { useState } from 'preact/hooks';
import { funnelStepsMax } from '../../../model/limits.ts';
import { queryText } from '../../../model/query-text.ts';
import { useAddress } from '../address.tsx';
import type { FunnelAnswer, FunnelStep } from '../answers.ts';
import { isShown, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { Controls, ExportLink } from '../controls/controls.tsx';
import { alignedPercent, formatNumber, formatPercent, formatSeconds } from '../format.ts';
import { dimensionLabel, valueLabel } from '../names.ts';
import { Glyph } from '../parts/glyph.tsx';
import { numberHead } from '../parts/heads.tsx';
import { Icon } from '../parts/icon.tsx';
import { Popover } from '../parts/popover.tsx';
import { SavedList } from '../parts/saved-list.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { BarName, Table, type TableColumn } from '../parts/table.tsx';
import { chosenTab, Tabs } from '../parts/tabs.tsx';
import { askedSearch, isFilteredTo, searchText, toggledValue, withChoice, withChoices } from '../question.ts';
import { pagePath } from '../routes.ts';
import { t, textIfAny } from '../texts/text.ts';
import { type AnswerState, useAnswer } from '../use-answer.ts';
import { conditionsOf, conditionWords, stepLabel } from './conditions.ts';
import { StepDialog } from './step-dialog.tsx';

const scopes = ['visit', 'visitor'] as const;
/** What the rate of the whole funnel is compared by. */
const groups = ['channel', 'utmCampaign', 'country', 'device'] as const;

export const FunnelsPage = () => {
  const { search, ask } = useAddress();
  const state = useSite();
  const { site } = state;
  const steps = search.getAll('_step').slice(0, funnelStepsMax);
  const scope = chosenTab(search, '_scope', scopes);
  const asked = askedSearch(search);
  for (const step of steps) asked.append('step', step);
  asked.set('scope', scope);
  const by = chosenTab(search, '_by', groups);
  // The first step alone says nothing that a breakdown does not.
  if (steps.length > 1) asked.set('by', by);
  const path = steps.length === 0 ? null : askSite(site, 'ext/funnel', asked);
  const answer = useAnswer(path);
  const setSteps = (next: readonly string[]): void => ask(withChoices(search, '_step', next));
  // A funnel has two steps at least, so after the first the next one is asked for.
  const [isNextAsked, setNextAsked] = useState(false);
  return (
    <>
      <Controls>
        {isShown(state, 'funnels') && <SavedFunnels steps={steps} scope={scope} />}
        {steps.length > 0 && <ExportLink label={t('funnel.export')} extra={{ mode: 'funnel', step: steps, scope }} />}
      </Controls>
      <section class="panel" aria-label={t('funnel.title')}>
        <header class="panel-head">
          <h2>{t('funnel.title')}</h2>
          {steps.length > 0 && (
            <Tabs
              label={t('funnel.scope')}
              choice="_scope"
              tabs={scopes.map(name => ({
                name,
                label: t(`funnel.scope.${name}`),
                tip: t(`funnel.scope.${name}.note`),
              }))}
              current={scope}
            />
          )}
        </header>
        {steps.length === 0 ? (
          <NoSteps
            onAdd={step => {
              setSteps([step]);
              setNextAsked(true);
            }}
          />
        ) : (
          <Answered answer={answer}>{funnel => <Steps {...{ funnel, steps, setSteps }} />}</Answered>
        )}
      </section>
      {isNextAsked && (
        <StepDialog
          title={t('funnel.addNext')}
          submit={t('funnel.add')}
          onChoose={step => setSteps([...steps, step])}
          onClose={() => setNextAsked(false)}
        />
      )}
      {steps.length > 1 && <Groups answer={answer} by={by} />}
    </>
  );
};

/** The site's funnels: choosing one, and saving the one that is shown. */
const SavedFunnels = ({ steps, scope }: { steps: readonly string[]; scope: (typeof scopes)[number] }) => {
  const { search } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const shown = queryText(new URLSearchParams([...steps.map(step => ['step', step]), ['scope', scope]]));
  return (
    <Popover
      isOpen={isOpen}
      setOpen={setOpen}
      label={t('funnels.saved')}
      buttonClass="button quiet"
      button={t('funnels.saved')}
    >
      <SavedList
        kind="funnel"
        current={steps.length === 0 ? null : shown}
        hint={t('funnels.hint')}
        isChosen={(_, text) => text === shown}
        chosen={(_, text) => {
          const saved = new URLSearchParams(text);
          return withChoice(withChoices(search, '_step', saved.getAll('step')), '_scope', saved.get('scope'), 'visit');
        }}
        onDone={() => setOpen(false)}
      />
    </Popover>
  );
};

const NoSteps = ({ onAdd }: { onAdd: (step: string) => void }) => (
  <Empty drawing="steps">
    <p>{t('funnel.none')}</p>
    <p class="hint">{t('funnel.none.note')}</p>
    <AddStep label={t('funnel.chooseFirst')} title={t('funnel.firstStep')} onChoose={onAdd} isPrimary />
  </Empty>
);

interface AddStepProps {
  label: string;
  title: string;
  onChoose: (condition: string) => void;
  isPrimary?: boolean;
}

const AddStep = ({ label, title, onChoose, isPrimary = false }: AddStepProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={isPrimary ? 'button primary' : 'button quiet'} onClick={() => setOpen(true)}>
        {!isPrimary && <Icon name="plus" />}
        {label}
      </button>
      {isOpen && (
        <StepDialog title={title} submit={t('funnel.add')} onChoose={onChoose} onClose={() => setOpen(false)} />
      )}
    </>
  );
};

interface StepsProps {
  funnel: FunnelAnswer;
  steps: readonly string[];
  setSteps: (steps: readonly string[]) => void;
}

const Steps = ({ funnel, steps, setSteps }: StepsProps) => {
  const { scope } = funnel;
  // While a shorter funnel is counted, the longer one before it still stands here.
  const data = funnel.data.slice(0, steps.length);
  const all = scope === 'visit' ? funnel.visits : funnel.visitors;
  const noun = scope === 'visit' ? 'visits' : 'visitors';
  const [first, last] = [data[0], data.at(-1)];
  const worst = Math.max(...data.slice(1).map(row => row.lost));
  return (
    <>
      {first !== undefined && last !== undefined && (
        <div class="funnel-head">
          <b class="funnel-total">{formatPercent(last.totalRate)}</b>
          <span class="hint">{t(`funnel.finished.${noun}`, { some: last[noun], of: first[noun] })}</span>
          <span class="hint steps-note">{t(`funnel.came.${noun}`, { some: first[noun], all })}</span>
        </div>
      )}
      <ol class="funnel">
        {data.map((row, i) => (
          <Step
            key={`${i} ${row.step}`}
            {...{ row, noun, steps, setSteps, worst }}
            place={i}
            next={data[i + 1]}
            isDrawnFrom={data[0]!}
          />
        ))}
      </ol>
      {steps.length < funnelStepsMax && (
        <AddStep
          label={steps.length === 1 ? t('funnel.addNext') : t('funnel.addStep')}
          title={t('funnel.stepNumber', { number: steps.length + 1 })}
          onChoose={step => setSteps([...steps, step])}
        />
      )}
    </>
  );
};

interface StepProps extends Omit<StepsProps, 'funnel'> {
  row: FunnelStep;
  place: number;
  /** What comes after it; undefined for the last. */
  next: FunnelStep | undefined;
  isDrawnFrom: FunnelStep;
  noun: 'visits' | 'visitors';
  /** The greatest loss between two steps. */
  worst: number;
}

const Step = ({ row, place, next, noun, isDrawnFrom, steps, setSteps, worst }: StepProps) => {
  const most = Math.max(isDrawnFrom[noun], 1);
  const share = (row[noun] / most) * 100;
  return (
    <li class="funnel-step">
      <span class="funnel-place">{place + 1}</span>
      <StepName step={row.step} />
      <StepTools {...{ place, steps, setSteps }} />
      <StepCount {...{ row, place, noun, steps }} />
      <StepShape share={share} next={next === undefined ? null : (next[noun] / most) * 100} />
      {next === undefined ? (
        <p class="funnel-loss done">{t(`funnel.done.${noun}`, { count: row[noun] })}</p>
      ) : (
        <Loss next={next} row={row} noun={noun} isWorst={next.lost === worst && worst > 0} />
      )}
    </li>
  );
};

interface GroupsProps {
  answer: AnswerState<FunnelAnswer>;
  by: (typeof groups)[number];
}

/** Who goes through all steps, by where they came from. A click filters by it. */
const Groups = ({ answer, by }: GroupsProps) => (
  <section class="panel funnel-groups" aria-label={t('funnel.groups')}>
    <header class="panel-head">
      <h2>{t('funnel.groups')}</h2>
      <Tabs
        label={t('funnel.groups')}
        choice="_by"
        current={by}
        tabs={groups.map(name => ({ name, label: textIfAny(`tab.${name}`) ?? dimensionLabel(name) }))}
      />
    </header>
    <Answered answer={answer}>
      {({ groups: rows = [], scope }) =>
        rows.length === 0 ? <Empty>{t('table.noMatches')}</Empty> : <GroupRows {...{ rows, by, scope }} />
      }
    </Answered>
  </section>
);

type FunnelGroup = NonNullable<FunnelAnswer['groups']>[number];

const GroupRows = ({
  rows,
  by,
  scope,
}: { rows: readonly FunnelGroup[] } & Pick<GroupsProps, 'by'> & Pick<FunnelAnswer, 'scope'>) => {
  const { search, href } = useAddress();
  const most = Math.max(...rows.map(row => row.totalRate), 0.1);
  const figureOf = (name: 'first' | 'last' | 'rate') => ({
    label: t(`funnel.groups.${name}`),
    meaning: t(`funnel.groups.${name}.meaning.${scope}`),
  });
  const columns: TableColumn<FunnelGroup>[] = [
    {
      ...{ name: 'name', head: dimensionLabel(by), class: 'row-name' },
      cell: ({ name, totalRate }) => (
        <BarName
          part={totalRate / most}
          href={href(toggledValue(search, by, name))}
          isChosen={isFilteredTo(search, by, name)}
          title={valueLabel(by, name)}
        >
          <Glyph field={by} value={name} />
          {valueLabel(by, name)}
        </BarName>
      ),
    },
    {
      ...{ name: 'rate', ...numberHead(figureOf('rate'), 'ranked') },
      cell: ({ totalRate }) => alignedPercent(totalRate),
    },
    { ...{ name: 'first', ...numberHead(figureOf('first'), 'step') }, cell: ({ first }) => formatNumber(first) },
    {
      ...{ name: 'last', ...numberHead(figureOf('last'), 'phone-minor step') },
      cell: ({ last }) => formatNumber(last),
    },
  ];
  return (
    <Table
      class="rows"
      {...{ columns, rows }}
      keyOf={({ name }) => name}
      rowOf={({ name }) => ({ class: isFilteredTo(search, by, name) ? 'chosen' : undefined })}
    />
  );
};

/** A column as high as its share of the first step, and the slope down to the next. */
const StepShape = ({ share, next }: { share: number; next: number | null }) => {
  const [top, then] = [100 - share, 100 - (next ?? 0)];
  // The last is as wide as its column.
  const right = next === null ? 100 : 62;
  return (
    <div class="funnel-shape" style={{ '--share': `${share}%` }}>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="gone" d={`M0 0H${right}V100H0z`} />
        <path class="body" d={`M0 ${top}H${right}V100H0z`} />
        {next !== null && <path class="slope" d={`M62 ${top}C80 ${top} 84 ${then} 100 ${then}V100H62z`} />}
      </svg>
    </div>
  );
};

/** Conditions stand one beside the other. */
const StepName = ({ step }: { step: string }) => (
  <span class="funnel-name">
    {conditionsOf(step).map((condition, i) => {
      const { kind, name } = conditionWords(condition);
      return (
        <span key={condition}>
          {i > 0 && <span class="hint"> {t('funnel.orWord')} </span>}
          <span class="kind">{kind}</span> <span class="funnel-text">{name}</span>
        </span>
      );
    })}
  </span>
);

/** Leads to the visits that came to the step: in a visitor's day, several may take the steps. */
const StepCount = ({ row, place, noun, steps }: Pick<StepProps, 'row' | 'place' | 'noun' | 'steps'>) => {
  const { search } = useAddress();
  const state = useSite();
  const { base } = state;
  const visits =
    noun === 'visits' && isShown(state, 'visits')
      ? withChoices(askedSearch(search), '_step', steps.slice(0, place + 1))
      : null;
  const number = formatNumber(row[noun]);
  return (
    <span class="funnel-count">
      <b>{visits === null ? number : <a href={pagePath(base, 'visits') + searchText(visits)}>{number}</a>}</b>{' '}
      <span class="hint">{t(`funnel.share.${noun}`, { share: formatPercent(row.totalRate) })}</span>
    </span>
  );
};

interface LossProps {
  row: FunnelStep;
  next: FunnelStep;
  noun: 'visits' | 'visitors';
  isWorst: boolean;
}

const Loss = ({ row, next, noun, isWorst }: LossProps) => (
  <p class="funnel-loss">
    <span class={isWorst ? 'funnel-lost worst' : 'funnel-lost'}>
      {t(`funnel.lost.${noun}`, { count: next.lost, share: formatPercent(next.lostRate) })}
    </span>
    <span>{t('funnel.wentOn', { share: formatPercent(next.stepRate) })}</span>
    {row.medianSeconds !== null && <span>{t('funnel.halfWithin', { time: formatSeconds(row.medianSeconds) })}</span>}
  </p>
);

const StepTools = ({ place, steps, setSteps }: Pick<StepProps, 'place' | 'steps' | 'setSteps'>) => {
  const [isOpen, setOpen] = useState(false);
  const label = stepLabel(steps[place]!);
  const swapped = (other: number): string[] =>
    steps.map((step, i) => (i === place ? steps[other]! : i === other ? steps[place]! : step));
  return (
    <span class="funnel-tools">
      <button
        type="button"
        class="button quiet"
        aria-label={t('funnel.orBesides', { step: label })}
        onClick={() => setOpen(true)}
      >
        {t('funnel.orButton')}
      </button>
      {[
        { icon: 'left', label: t('funnel.moveUp', { step: label }), other: place - 1 },
        { icon: 'right', label: t('funnel.moveDown', { step: label }), other: place + 1 },
      ].map(({ icon, label: tool, other }) => (
        <button
          key={icon}
          type="button"
          class="icon-button"
          aria-label={tool}
          disabled={steps[other] === undefined}
          onClick={() => setSteps(swapped(other))}
        >
          <Icon name={icon as 'left' | 'right'} />
        </button>
      ))}
      <button
        type="button"
        class="icon-button"
        aria-label={t('funnel.remove', { step: label })}
        onClick={() => setSteps(steps.filter((_, i) => i !== place))}
      >
        <Icon name="close" />
      </button>
      {isOpen && (
        <StepDialog
          title={t('funnel.orTitle', { step: label })}
          submit={t('funnel.add')}
          onChoose={condition => setSteps(steps.map((step, i) => (i === place ? `${step}|${condition}` : step)))}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
};
