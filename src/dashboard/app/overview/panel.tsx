/** One panel: tabs of dimensions, the rows of the chosen one, and a way to all of its rows. */
import { useRef } from 'preact/hooks';
import type { DimensionName } from '../../../model/dimensions.ts';
import { breakdownLimitMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import { isFieldShown, shownMetrics, useSite } from '../app-context.ts';
import { dimensionLabel, metricLabel } from '../names.ts';
import { lazy } from '../parts/lazy.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { chosenTab, Tabs } from '../parts/tabs.tsx';
import { filterGroups, withChoice } from '../question.ts';
import { docsPath } from '../routes.ts';
import { t, textIfAny } from '../texts/text.ts';
import type { AnswerState } from '../use-answer.ts';
import {
  chosenComparison,
  chosenGoal,
  chosenPanelMetric,
  eventMetrics,
  type PanelMetric,
  panelMetrics,
  withPanelMetric,
} from './choices.ts';
import { usePanelRows } from './panel-rows.ts';
import type { PanelRow } from './panels.ts';
import { Rows, useBreakdown, type ValueRows } from './rows.tsx';

const TableDialog = lazy(async () => (await import('../overlays.ts')).TableDialog);

const rowsShown = 10;
/** One row more than is shown tells whether there are more. */
const rowsAsked = rowsShown + 1;

interface PanelProps {
  panel: PanelRow;
  /** Visitors of the slice. */
  total: number | undefined;
  /** Money was earned in it. */
  hasRevenue: boolean;
  /** The first numbers are there, so that what stands beside them may be asked. */
  isLater: boolean;
}

export const Panel = ({ panel: whole, ...slice }: PanelProps) => {
  const { search } = useAddress();
  const site = useSite();
  const panel = { ...whole, tabs: whole.tabs.filter(field => isFieldShown(site, field)) };
  const dimension = chosenTab(search, panel.choice, panel.tabs);
  if (panel.tabs.length === 0) return null;
  return (
    <section class="panel" aria-label={t(`panel.${panel.name}`)}>
      <PanelHead panel={panel} dimension={dimension} />
      <PanelRows panel={panel} dimension={dimension} {...slice} />
    </section>
  );
};

/** Its shapes are large, so they come beside the first numbers. */
const map = import('../map/country-map.tsx');
const CountryMap = lazy(async () => (await map).CountryMap, <div class="country-map waiting" />);

const countriesMin = 3;

/** The panel of places: the map of countries, and below it the rows of the chosen tab. */
export const PlacesPanel = ({ panel, ...slice }: PanelProps) => {
  const { search } = useAddress();
  const dimension = chosenTab(search, panel.choice, panel.tabs);
  const countries = useBreakdown('country', breakdownLimitMax);
  // A map of one or two countries shows no more than the rows; a filter keeps it in its place.
  const hasMap =
    countries.data === undefined || countries.data.data.length >= countriesMin || filterGroups(search).length > 0;
  return (
    <section class="panel places" aria-label={t(`panel.${panel.name}`)}>
      <PanelHead panel={panel} dimension={dimension} />
      <div class="places-body">
        {hasMap && <CountryMap rows={countries.data?.data ?? []} />}
        <PanelRows
          panel={panel}
          dimension={dimension}
          {...slice}
          {...(dimension === 'country' && { given: countries })}
        />
      </div>
    </section>
  );
};

const PanelHead = ({ panel, dimension }: { panel: PanelRow; dimension: DimensionName }) => (
  <header class="panel-head">
    <h2>{t(`panel.${panel.name}`)}</h2>
    {panel.tabs.length > 1 && (
      <Tabs
        label={t(`panel.${panel.name}`)}
        choice={panel.choice}
        current={dimension}
        most={3}
        tabs={panel.tabs.map(name => ({ name, label: tabLabel(name), tip: t(`field.${name}.meaning`) }))}
      />
    )}
  </header>
);

/** Short: the panel already says what the tabs have in common. */
const tabLabel = (name: DimensionName): string => textIfAny(`tab.${name}`) ?? dimensionLabel(name);

interface PanelRowsProps extends PanelProps {
  dimension: DimensionName;
  /** The breakdown, where it is at hand. */
  given?: AnswerState<ValueRows>;
}

const PanelRows = ({ panel, dimension, total, hasRevenue, ...asked }: PanelRowsProps) => {
  const { search } = useAddress();
  const site = useSite();
  const metrics = shownMetrics<PanelMetric>(site, dimension === 'event' ? eventMetrics : panelMetrics);
  const metric = chosenPanelMetric(search, panel.choice, metrics);
  const answer = usePanelRows({ dimension, metric, limit: rowsAsked, shown: rowsShown, ...asked });
  // Old rows keep the shares that they came with.
  const whole = useRef(total);
  if (!answer.pending) whole.current = total;
  return (
    <div class="panel-body">
      <Answered answer={answer}>
        {({ rows, hasMore }) =>
          rows.length === 0 ? (
            <NoRows panel={panel.name} />
          ) : (
            <>
              <Rows
                {...{ dimension, rows, metric }}
                total={whole.current}
                goal={chosenGoal(search)}
                rankedBy={name => withPanelMetric(search, panel.choice, name)}
                hasRevenue={hasRevenue && dimension !== 'event'}
                hasChange={chosenComparison(search) !== 'none'}
              />
              <footer class="panel-foot">
                {hasMore ? <More dimension={dimension} /> : <span />}
                <MetricChoice panel={panel} metrics={metrics} metric={metric} />
              </footer>
            </>
          )
        }
      </Answered>
    </div>
  );
};

const NoRows = ({ panel }: { panel: PanelRow['name'] }) => {
  if (panel !== 'events') return <Empty>{t(`panel.${panel}.none`)}</Empty>;
  return (
    <Empty drawing="event">
      <p>{t('panel.events.none')}</p>
      <a class="button" href={docsPath('tracker#calls')}>
        {t('panel.events.how')}
      </a>
    </Empty>
  );
};

interface MetricChoiceProps {
  panel: PanelRow;
  metrics: readonly PanelMetric[];
  metric: PanelMetric;
}

/** Chooses what the rows are ranked by. */
const MetricChoice = ({ panel, metrics, metric }: MetricChoiceProps) => {
  const { search, ask } = useAddress();
  return (
    <select
      class="metric-choice"
      aria-label={t('overview.rankedBy', { panel: t(`panel.${panel.name}`) })}
      data-tip={t(metric === 'events' ? 'event.events.meaning' : `metric.${metric}.meaning`)}
      value={metric}
      onChange={event => ask(withPanelMetric(search, panel.choice, event.currentTarget.value))}
    >
      {metrics.map(name => (
        <option key={name} value={name}>
          {name === 'events' ? t('event.events') : metricLabel(name)}
        </option>
      ))}
    </select>
  );
};

/** The link to the whole table. The address says whether it is open. */
const More = ({ dimension }: { dimension: DimensionName }) => {
  const { search, href, ask } = useAddress();
  const isOpen = search.get('_all') === dimension;
  return (
    <>
      <a
        class="more-link"
        href={href(withChoice(search, '_all', dimension))}
        aria-label={t('overview.moreOf', { dimension: dimensionLabel(dimension) })}
      >
        {t('overview.more')}
      </a>
      {isOpen && <TableDialog dimension={dimension} onClose={() => ask(withoutTable(search))} />}
    </>
  );
};

/** Nothing of the table stays in the address. */
const withoutTable = (search: URLSearchParams): URLSearchParams =>
  (['_all', '_columns', '_sort', '_dir'] as const).reduce((next, name) => withChoice(next, name, null), search);
