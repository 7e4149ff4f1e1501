/** One event: its figures, their course over time, and its properties. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { eventFigures } from '../../../model/figures.ts';
import { useAddress } from '../address.tsx';
import type { EventCompared, EventSeries } from '../answers.ts';
import { isShown, useApp, useSite } from '../app-context.ts';
import type { ChartSeries } from '../chart/time-chart.tsx';
import { formatInstant, formatNumber, formatPercent, localDate } from '../format.ts';
import { valueLabel } from '../names.ts';
import { Change } from '../parts/change.tsx';
import { Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { chosenTab, Tabs } from '../parts/tabs.tsx';
import { Explain } from '../parts/tips.tsx';
import { withChoice, withOnly } from '../question.ts';
import { useAnswer } from '../use-answer.ts';
import { EventProperties, eventPath } from './event-properties.tsx';

const TimeChart = lazy(async () => (await import('../chart/time-chart.tsx')).TimeChart, <div class="chart-waiting" />);

export const EventDetail = ({ name }: { name: string }) => {
  const { search, href } = useAddress();
  const { site } = useSite();
  const answer = useAnswer<EventSeries>(eventPath(site.id, search, name, { series: '1' }));
  const back = withChoice(withChoice(search, '_event', null), '_property', null);
  return (
    <>
      <div class="detail-head">
        <a class="icon-button" href={href(back)} aria-label="All events" data-tip="All events">
          <Icon name="left" />
        </a>
        <h2 class="detail-title">{valueLabel('event', name)}</h2>
        <a class="button" href={href(withOnly(search, 'event', name))}>
          Filter by this event
        </a>
      </div>
      <Answered answer={answer} waiting={<div class="chart-waiting" />}>
        {series =>
          series.summary.events === 0 ? (
            <Empty>This event did not occur in this period.</Empty>
          ) : (
            <Happened {...{ name, series }} />
          )
        }
      </Answered>
    </>
  );
};

const Happened = ({ name, series }: { name: string; series: EventSeries }) => (
  <>
    <Summary summary={series.summary} />
    <EventChart series={series} />
    {isShown(useSite(), 'properties') && <EventProperties name={name} />}
  </>
);

const written: Record<keyof EventCompared, (value: number) => string> = {
  events: formatNumber,
  visitors: formatNumber,
  visitorShare: formatPercent,
  perVisitor: formatNumber,
};

const Summary = ({ summary }: { summary: EventSeries['summary'] }) => {
  const { site } = useSite();
  const { previous, delta, sessions, medianPerSession, firstSeen, lastSeen } = summary;
  return (
    <dl class="figures">
      {(Object.keys(written) as (keyof EventCompared)[]).map(key => (
        <Figure key={key} name={key} value={written[key](summary[key])}>
          <Change
            delta={delta?.[key]}
            isNeutral
            {...(previous === null ? {} : { tip: `${written[key](previous[key])} in the previous period` })}
          />
        </Figure>
      ))}
      <Figure name="sessions" value={formatNumber(sessions)} />
      <Figure name="medianPerSession" value={formatNumber(medianPerSession)} />
      {firstSeen !== null && <Figure name="firstSeen" value={formatInstant(firstSeen, site.timezone)} small />}
      {lastSeen !== null && <Figure name="lastSeen" value={formatInstant(lastSeen, site.timezone)} small />}
    </dl>
  );
};

interface FigureProps {
  name: keyof typeof eventFigures;
  value: string;
  small?: boolean;
  children?: ComponentChildren;
}
const Figure = ({ name, value, small = false, children }: FigureProps) => (
  <div class="figure" data-figure={name}>
    <dt>
      <Explain tip={eventFigures[name].meaning}>{eventFigures[name].label}</Explain>
    </dt>
    <dd>
      <span class={small ? 'figure-value small' : 'figure-value'}>{value}</span>
      {children}
    </dd>
  </div>
);

const charted = {
  events: { point: 'Events', label: eventFigures.events.label },
  visitors: { point: 'Visitors', label: eventFigures.visitors.label },
} as const;
type Charted = keyof typeof charted;
const chartedNames = Object.keys(charted) as Charted[];

/** One line at a time: an event that each visitor sends once would hide one line behind the other. */
const EventChart = ({ series: { data } }: { series: EventSeries }) => {
  const { now } = useApp();
  const { site } = useSite();
  const { search } = useAddress();
  const name = chosenTab(search, '_chart', chartedNames);
  const { point, label } = charted[name];
  const dates = useMemo(() => data.map(({ date }) => date), [data]);
  const lines = useMemo<ChartSeries[]>(
    () => [{ label, look: 'events', values: data.map(each => each[point]), earlier: null }],
    [data, point, label],
  );
  return (
    <section class="trend" aria-label="Over time">
      <Tabs
        label="Over time"
        choice="_chart"
        current={name}
        tabs={chartedNames.map(each => ({ name: each, label: charted[each].label }))}
      />
      <TimeChart
        label={`${label} over time`}
        dates={dates}
        series={lines}
        isOpen={dates.at(-1)?.slice(0, 10) === localDate(now(), site.timezone)}
      />
    </section>
  );
};
