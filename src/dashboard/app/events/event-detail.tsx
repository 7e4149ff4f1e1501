/** One event: its figures, their course over time, and its properties. */

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { delta } from '../../../model/metrics.ts';
import { useAddress } from '../address.tsx';
import type { EventCompared, EventSeries, MetricPoint } from '../answers.ts';
import { isShown, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import type { ChartSeries } from '../chart/readout.tsx';
import { TimeChart } from '../chart/time-chart.tsx';
import { formatAmounts, formatInstant, formatNumber, formatPercent } from '../format.ts';
import { metricSteps, metricText, metricTick } from '../metric-text.ts';
import { valueLabel } from '../names.ts';
import { Change } from '../parts/change.tsx';
import { Icon } from '../parts/icon.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { chosenTab, Tabs } from '../parts/tabs.tsx';
import { Explain } from '../parts/tips.tsx';
import { askedSearch, withChoice, withOnly } from '../question.ts';
import { type FigureKey, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { EventProperties, eventPath } from './event-properties.tsx';

export const EventDetail = ({ name }: { name: string }) => {
  const { search, href } = useAddress();
  const { site } = useSite();
  const answer = useAnswer<EventSeries>(eventPath(site, search, name, { series: '1' }));
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

const Happened = ({ name, series }: { name: string; series: EventSeries }) => {
  const { search } = useAddress();
  const state = useSite();
  const isPaid = series.summary.type === 'revenue' && isShown(state, 'revenue');
  const asked = askedSearch(search);
  asked.set('event', name);
  asked.set('metrics', 'revenue');
  asked.set('compare', 'previous');
  const path = askSite(state.site, 'ext/series', asked);
  const { data } = useAnswer(isPaid ? path : null, name);
  const money = isPaid ? { points: data?.data ?? [], previous: data?.previous ?? null } : null;
  return (
    <>
      <Summary summary={series.summary} money={money} />
      <EventChart series={series} money={money} />
      {isShown(state, 'properties') && <EventProperties name={name} />}
    </>
  );
};

/** What an event earned, bucket by bucket. */
interface Money {
  /** Empty until they are there. */
  points: readonly MetricPoint[];
  /** Of the window before; null where there is none. */
  previous: readonly MetricPoint[] | null;
}

const amountsOf = (points: readonly MetricPoint[]): { revenue: number; otherRevenue: Record<string, number> } => {
  const otherRevenue: Record<string, number> = {};
  for (const point of points)
    for (const [currency, minor] of Object.entries(point.otherRevenue ?? {}))
      otherRevenue[currency] = (otherRevenue[currency] ?? 0) + minor;
  return { revenue: points.reduce((sum, { revenue }) => sum + (revenue ?? 0), 0), otherRevenue };
};

const written: Record<keyof EventCompared, (value: number) => string> = {
  events: formatNumber,
  visitors: formatNumber,
  visitorShare: formatPercent,
  perVisitor: formatNumber,
};

const Summary = ({ summary, money }: { summary: EventSeries['summary']; money: Money | null }) => {
  const { site } = useSite();
  const { previous, delta, sessions, medianPerSession, firstSeen, lastSeen } = summary;
  return (
    <dl class="figures sheet">
      {(Object.keys(written) as (keyof EventCompared)[]).map(key => (
        <Figure key={key} name={key} value={written[key](summary[key])}>
          <Change
            delta={delta?.[key]}
            isNeutral
            {...(previous === null ? {} : { tip: t('events.inPrevious', { value: written[key](previous[key]) }) })}
          />
        </Figure>
      ))}
      {money !== null && <MoneyFigure money={money} />}
      <Figure name="sessions" value={formatNumber(sessions)} />
      <Figure name="medianPerSession" value={formatNumber(medianPerSession)} />
      {firstSeen !== null && <Figure name="firstSeen" value={formatInstant(firstSeen, site.timezone)} small />}
      {lastSeen !== null && <Figure name="lastSeen" value={formatInstant(lastSeen, site.timezone)} small />}
    </dl>
  );
};

const MoneyFigure = ({ money: { points, previous } }: { money: Money }) => {
  const { currency } = useSite().site;
  const now = amountsOf(points);
  const before = previous && amountsOf(previous);
  return (
    <Figure name="revenue" value={points.length === 0 ? '' : formatAmounts(now, currency)}>
      <Change
        delta={before && delta(now.revenue, before.revenue)}
        isNeutral
        {...(before && { tip: t('events.inPrevious', { value: formatAmounts(before, currency) }) })}
      />
    </Figure>
  );
};

interface FigureProps {
  name: keyof EventCompared | 'sessions' | 'medianPerSession' | 'firstSeen' | 'lastSeen' | 'revenue';
  value: string;
  small?: boolean;
  children?: ComponentChildren;
}
const Figure = ({ name, value, small = false, children }: FigureProps) => (
  <div class="figure" data-figure={name}>
    <dt>
      <Explain tip={t(`${figureOf(name)}.meaning`)}>{t(figureOf(name))}</Explain>
    </dt>
    <dd>
      <span class={small ? 'figure-value small' : 'figure-value'}>{value}</span>
      {children}
    </dd>
  </div>
);

const figureOf = (name: FigureProps['name']) =>
  (name === 'revenue' ? 'metric.revenue' : `event.${name}`) satisfies FigureKey;

const charted = ['events', 'visitors', 'revenue'] as const;
/** As the answer calls them. */
const points = { events: 'Events', visitors: 'Visitors' } as const;

/** One line at a time: an event that each visitor sends once would hide one of two. */
const EventChart = ({ series: { data }, money }: { series: EventSeries; money: Money | null }) => {
  const { site } = useSite();
  const { search } = useAddress();
  const shown = charted.filter(each => each !== 'revenue' || money !== null);
  const name = chosenTab(search, '_chart', shown);
  const label = t(figureOf(name));
  const dates = useMemo(() => data.map(({ date }) => date), [data]);
  const line = useMemo<ChartSeries>(
    () =>
      name === 'revenue'
        ? {
            label,
            values: dates.map((_, i) => money?.points[i]?.revenue ?? null),
            text: value => metricText('revenue', value, site.currency),
          }
        : { label, values: data.map(each => each[points[name]]) },
    [data, dates, money?.points, name, label, site.currency],
  );
  return (
    <section class="trend panel" aria-label={t('events.overTime')}>
      <Tabs
        label={t('events.overTime')}
        choice="_chart"
        current={name}
        tabs={shown.map(each => ({ name: each, label: t(figureOf(each)) }))}
      />
      <TimeChart
        label={t('events.figureOverTime', { figure: label })}
        dates={dates}
        series={line}
        {...(name === 'revenue' && { scale: moneyScale(site.currency) })}
      />
    </section>
  );
};

const moneyScale = (currency: string) => ({
  text: (value: number) => metricTick('revenue', value, currency),
  steps: metricSteps('revenue'),
});
