/**
 * The headline figures. Each is a choice of what the chart below shows: one stop of the keyboard,
 * arrow keys within. A small sign on each says what it counts.
 */
import { useAddress } from '../address.tsx';
import type { MetricSeries, Stats } from '../answers.ts';
import { shownMetrics, useSite } from '../app-context.ts';
import { formatDelta, formatMoney } from '../format.ts';
import { fittingText, isInverted, isNeutral, knownValue, metricText, noValue } from '../metric-text.ts';
import { metricLabel } from '../names.ts';
import { Change } from '../parts/change.tsx';
import { Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Spark } from '../parts/spark.tsx';
import { Answered } from '../parts/states.tsx';
import { withChoice } from '../question.ts';
import { t } from '../texts/text.ts';
import type { AnswerState } from '../use-answer.ts';
import { chosenMetric, type FigureName, figureNames, withMetric } from './choices.ts';

const ExplainDialog = lazy(async () => (await import('../overlays.ts')).ExplainDialog);

interface HeadlineProps {
  answer: AnswerState<Stats>;
  hasRevenue: boolean;
  /** For the course of each; undefined until it is there. */
  series: MetricSeries | undefined;
  /** What the numbers are compared with, in words. */
  comparedWith: string;
}

export const Headline = ({ answer, ...shown }: HeadlineProps) => (
  <section class="headline" aria-label={t('overview.figures')}>
    <Answered answer={answer} waiting={<HeadlineSkeleton />}>
      {stats => <Figures stats={stats} {...shown} />}
    </Answered>
  </section>
);

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** The four that are read first. */
const largeOf = (figures: readonly FigureName[], hasRevenue: boolean): FigureName[] => {
  const wanted: FigureName[] = ['visitors', 'visits', 'pageviews', hasRevenue ? 'revenue' : 'avgVisitSeconds'];
  return wanted.filter(name => figures.includes(name));
};

const Figures = ({ stats, series, hasRevenue, comparedWith }: Omit<HeadlineProps, 'answer'> & { stats: Stats }) => {
  const { search, ask } = useAddress();
  const figures = shownMetrics(useSite(), figureNames);
  const chosen = chosenMetric(search, figures);
  const large = largeOf(figures, hasRevenue);
  const explained = figures.find(name => name === search.get('_explain') && stats.delta?.[name] != null);
  const onKey = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const step = steps[event.key];
    const isFigure = event.target instanceof Element && event.target.role === 'radio';
    if (step === undefined || !isFigure || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const count = figures.length;
    const next = figures[(figures.indexOf(chosen) + step + count) % count]!;
    event.currentTarget.querySelector<HTMLElement>(`[data-metric="${next}"] [role="radio"]`)?.focus();
    // A walk along the figures is one entry of the history.
    ask(withMetric(search, next), { replace: true });
  };
  return (
    <div class="hero-figures" role="radiogroup" aria-label={t('overview.metric')} onKeyDown={onKey}>
      {figures.map(name => (
        <Figure
          key={name}
          {...{ name, stats, comparedWith }}
          isLarge={large.includes(name)}
          values={series?.data.map(point => knownValue(name, point) ?? 0)}
          isChosen={name === chosen}
          onChoose={() => ask(withMetric(search, name))}
        />
      ))}
      {explained !== undefined && <ExplainDialog figure={explained} onClose={() => ask(withExplained(search, null))} />}
    </div>
  );
};

interface FigureProps {
  name: FigureName;
  stats: Stats;
  comparedWith: string;
  isLarge: boolean;
  /** Over time, for a large one. */
  values: readonly number[] | undefined;
  isChosen: boolean;
  onChoose: () => void;
}

const Figure = ({ name, stats, comparedWith, isLarge, values, isChosen, onChoose }: FigureProps) => {
  const { currency, previous = null, delta, otherRevenue = {} } = stats;
  const [text, whole] = [figureText(name, stats, charsMax), figureText(name, stats)];
  const before = previous && metricText(name, knownValue(name, previous), currency);
  const others = name === 'revenue' ? Object.entries(otherRevenue) : [];
  const tips = [
    ...(text === whole ? [] : [whole]),
    t(`metric.${name}.meaning`),
    ...(before === null ? [] : [t('overview.before', { window: comparedWith, value: before })]),
    ...others.map(([other]) => t('overview.noRate', { currency: other })),
  ];
  return (
    <div
      class={['figure', isLarge ? 'large' : 'small', isChosen && 'chosen', name === 'revenue' && 'of-money']
        .filter(Boolean)
        .join(' ')}
      data-metric={name}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a figure is more than a label */}
      <button
        type="button"
        role="radio"
        class="figure-choice"
        aria-checked={isChosen}
        tabIndex={isChosen ? 0 : -1}
        onClick={onChoose}
      >
        <span class="figure-label">{metricLabel(name)}</span>
        <span class="figure-value" style={{ '--chars': text.length }} title={text === whole ? undefined : whole}>
          {text}
        </span>
        {isLarge && values !== undefined && values.length > 2 && values.some(value => value > 0) && (
          <Spark values={values} />
        )}
      </button>
      <span class="figure-change">
        {text !== noValue && delta?.[name] != null && <Why {...{ name, isChosen }} delta={delta[name]} />}
        {isLarge && before !== null && stats.delta?.[name] != null && (
          <span class="figure-before">{t('overview.was', { value: before })}</span>
        )}
        {others.map(([other, minor]) => (
          <span key={other} class="other-revenue">
            + {formatMoney(minor, other)}
          </span>
        ))}
      </span>
      <button
        type="button"
        class="figure-sign"
        tabIndex={isChosen ? 0 : -1}
        aria-label={t('overview.sign', { metric: metricLabel(name) })}
        data-tip={tips.join('. ')}
      >
        <Icon name="help" />
      </button>
    </div>
  );
};

/** The change of a figure, which leads to what changed. */
const Why = ({ name, delta, isChosen }: { name: FigureName; delta: number; isChosen: boolean }) => {
  const { search, ask } = useAddress();
  return (
    <button
      type="button"
      class="figure-why"
      tabIndex={isChosen ? 0 : -1}
      aria-label={t('explain.button', { metric: metricLabel(name), change: formatDelta(delta) })}
      data-tip={t('explain.tip')}
      onClick={() => ask(withExplained(search, name))}
    >
      <Change delta={delta} inverted={isInverted(name)} isNeutral={isNeutral(name)} />
    </button>
  );
};

/** The address says what is open. */
const withExplained = (search: URLSearchParams, figure: FigureName | null): URLSearchParams =>
  withChoice(search, '_explain', figure);

/** As many as fit beside each other in any of the figures. */
const charsMax = 12;

/** A dash where there is nothing: no visits to take a mean of, no money. */
const figureText = (name: FigureName, stats: Stats, charsMax = Number.POSITIVE_INFINITY): string => {
  const isEmpty = name === 'revenue' && stats.revenue === 0 && (stats.previous?.revenue ?? 0) === 0;
  return fittingText(name, isEmpty ? null : knownValue(name, stats), stats.currency, charsMax);
};

const HeadlineSkeleton = () => {
  const figures = shownMetrics(useSite(), figureNames);
  return (
    <div class="hero-figures" role="status" aria-label={t('common.loading')}>
      {figures.map(name => (
        <div key={name} class={`figure waiting ${largeOf(figures, false).includes(name) ? 'large' : 'small'}`}>
          <div class="skeleton" style={{ width: '60%' }} />
          <div class="skeleton tall" style={{ width: '80%' }} />
        </div>
      ))}
    </div>
  );
};
