/** One event: its figures, their course over time, and its properties. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import type { EventCompared, EventSeries } from '../answers.ts';
import { isShown, useApp, useSite } from '../app-context.ts';
import type { ChartSeries } from '../chart/readout.tsx';
import { TimeChart } from '../chart/time-chart.tsx';
import { formatInstant, formatNumber, formatPercent, localDate } from '../format.ts';
import { valueLabel } from '../names.ts';
import { Change } from '../parts/change.tsx';
import { Icon } from '../parts/icon.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { chosenTab, Tabs } from '../parts/tabs.tsx';
import { Explain } from '../parts/tips.tsx';
import { withChoice, withOnly } from '../question.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { EventProperties, eventPath } from './event-properties.tsx';

export const EventDetail = ({ name }: { name: string }) => {
  const { search, href } = useAddress();
  const { site } = useSite();
  const answer = useAnswer<EventSeries>(eventPath(site.id, search, name, { series: '1' }));
  const back = withChoice(withChoice(search, '_event', null), '_property', null);
  return (
    <>
      <div class="detail-head">
        <a class="icon-button" href={href(back)} aria-label={t('events.all')} data-tip={t('events.all')}>
          <Icon name="left" />
        </a>
        <h2 class="detail-title">{valueLabel('event', name)}</h2>
        <a class="button" href={href(withOnly(search, 'event', name))}>
          {t('events.filter')}
        </a>
      </div>
      <Answered answer={answer} waiting={<div class="chart-waiting" />}>
        {series =>
          series.summary.events === 0 ? <Empty>{t('events.notOccurred')}</Empty> : <Happened {...{ name, series }} />
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
            {...(previous === null ? {} : { tip: t('events.inPrevious', { value: written[key](previous[key]) }) })}
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
  name: keyof EventCompared | 'sessions' | 'medianPerSession' | 'firstSeen' | 'lastSeen';
  value: string;
  small?: boolean;
  children?: ComponentChildren;
}
const Figure = ({ name, value, small = false, children }: FigureProps) => (
  <div class="figure" data-figure={name}>
    <dt>
      <Explain tip={t(`event.${name}.meaning`)}>{t(`event.${name}`)}</Explain>
    </dt>
    <dd>
      <span class={small ? 'figure-value small' : 'figure-value'}>{value}</span>
      {children}
    </dd>
  </div>
);

const charted = ['events', 'visitors'] as const;
/** As the answer calls them. */
const points = { events: 'Events', visitors: 'Visitors' } as const;

/** One line at a time: an event that each visitor sends once would hide one line behind the other. */
const EventChart = ({ series: { data } }: { series: EventSeries }) => {
  const { now } = useApp();
  const { site } = useSite();
  const { search } = useAddress();
  const name = chosenTab(search, '_chart', charted);
  const point = points[name];
  const label = t(`event.${name}`);
  const dates = useMemo(() => data.map(({ date }) => date), [data]);
  const line = useMemo<ChartSeries>(() => ({ label, values: data.map(each => each[point]) }), [data, point, label]);
  return (
    <section class="trend" aria-label={t('events.overTime')}>
      <Tabs
        label={t('events.overTime')}
        choice="_chart"
        current={name}
        tabs={charted.map(each => ({ name: each, label: t(`event.${each}`) }))}
      />
      <TimeChart
        label={t('events.figureOverTime', { figure: label })}
        dates={dates}
        series={line}
        isOpen={dates.at(-1)?.slice(0, 10) === localDate(now(), site.timezone)}
      />
    </section>
  );
};
