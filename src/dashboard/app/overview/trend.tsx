/**
 * Visitors, pageviews and visits over time, with the previous period behind them; as a chart or as
 * a table.
 */
import { useMemo } from 'preact/hooks';
import { metrics } from '../../../model/metrics.ts';
import { useAddress } from '../address.tsx';
import type { Series, SeriesPoint } from '../answers.ts';
import { useApp, useSite } from '../app-context.ts';
import type { ChartSeries } from '../chart/time-chart.tsx';
import { bucketOf, formatBucket, formatNumber, localDate, wallDate, wallMs } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Answered } from '../parts/states.tsx';
import { Toggle } from '../parts/toggle.tsx';
import { askedSearch, searchText, withChoice, withPeriod } from '../question.ts';
import { useAnswer } from '../use-answer.ts';

const code = import('../chart/time-chart.tsx');
const TimeChart = lazy(async () => (await code).TimeChart, <div class="chart-waiting" />);

/** The names of the API, and the metric of each. */
const shown = {
  Visitors: 'visitors',
  Pageviews: 'pageviews',
  Visits: 'visits',
} as const satisfies Partial<Record<keyof SeriesPoint, string>>;
type Shown = keyof typeof shown;
const allShown = Object.keys(shown) as Shown[];
const shownDefault = 'visitors.pageviews';

export const Trend = () => {
  const { search } = useAddress();
  const { site } = useSite();
  const asked = askedSearch(search);
  asked.set('previous', '1');
  const answer = useAnswer<Series>(`/api/v1/sites/${site.id}/series${searchText(asked)}`);
  return (
    <section class="trend" aria-label="Over time" aria-busy={answer.pending}>
      <TrendHead hasPrevious={(answer.data?.previous ?? null) !== null} />
      <Answered answer={answer} waiting={<div class="chart-waiting" />}>
        {series => (search.get('_view') === 'table' ? <TrendTable points={series.data} /> : <TrendChart {...series} />)}
      </Answered>
    </section>
  );
};

const chosenSeries = (search: URLSearchParams): Shown[] => {
  const names = (search.get('_series') ?? shownDefault).split('.');
  return allShown.filter(name => names.includes(shown[name]));
};

const TrendHead = ({ hasPrevious }: { hasPrevious: boolean }) => {
  const { search } = useAddress();
  const chosen = chosenSeries(search);
  const isTable = search.get('_view') === 'table';
  const toggled = (name: Shown): URLSearchParams => {
    const next = chosen.includes(name) ? chosen.filter(each => each !== name) : [...chosen, name];
    const names = allShown.filter(each => next.includes(each)).map(each => shown[each]);
    return withChoice(search, '_series', names.length === 0 ? shown[name] : names.join('.'), shownDefault);
  };
  return (
    <div class="trend-head">
      <div class="legend">
        {allShown.map(name => (
          <Toggle
            key={name}
            class={chosen.includes(name) ? 'legend-item' : 'legend-item off'}
            isOn={chosen.includes(name)}
            next={toggled(name)}
            tip={metrics[shown[name]].meaning}
          >
            <span class={`swatch ${shown[name]}`} />
            {name}
          </Toggle>
        ))}
        {hasPrevious && !isTable && (
          <span class="legend-note">
            <span class="swatch dashed" />
            Previous period
          </span>
        )}
      </div>
      <Toggle
        class="icon-button"
        isOn={isTable}
        next={withChoice(search, '_view', isTable ? null : 'table')}
        label="Show as a table"
        tip="Show as a table"
      >
        <Icon name="table" />
      </Toggle>
    </div>
  );
};

const TrendChart = ({ data, previous = null }: Series) => {
  const { search, ask } = useAddress();
  const { site } = useSite();
  const { now } = useApp();
  const today = localDate(now(), site.timezone);
  const chosen = chosenSeries(search).join('.');
  const dates = useMemo(() => data.map(point => point.date), [data]);
  const series = useMemo<ChartSeries[]>(
    () =>
      allShown
        .filter(name => chosen.includes(name))
        .map(name => ({
          label: name,
          look: shown[name],
          values: data.map(point => point[name]),
          earlier: previous === null ? null : data.map((_, i) => sinceFirst(previous, i)?.[name] ?? null),
        })),
    [data, previous, chosen],
  );

  const bucket = bucketOf(dates);
  const choose = (from: number, to: number): void => {
    const last = dates[to]!;
    const end = bucket === 'month' ? monthEnd(last) : last.slice(0, 10);
    ask(withPeriod(search, { from: dates[from]!.slice(0, 10), to: earlier(end, today) }));
  };
  const spansOneDay = dates[0]?.slice(0, 10) === dates.at(-1)?.slice(0, 10);
  return (
    <TimeChart
      label="Numbers over time"
      dates={dates}
      series={series}
      isOpen={isOpenBucket(dates.at(-1), bucket, today)}
      onChoose={spansOneDay ? undefined : choose}
    />
  );
};

/** A point of the period before; none until something was recorded. */
const sinceFirst = (points: readonly SeriesPoint[], i: number): SeriesPoint | undefined => {
  const first = points.findIndex(({ Visitors, Pageviews, Visits }) => Visitors + Pageviews + Visits > 0);
  return first < 0 || i < first ? undefined : points[i];
};

const earlier = (a: string, b: string): string => (a < b ? a : b);

const monthEnd = (local: string): string => {
  const [year, month] = local.split('-').map(Number) as [number, number];
  return wallDate(Date.UTC(year, month, 0));
};

/** A day or month is open while it contains today; a series of hours ends with the current one. */
const isOpenBucket = (last: string | undefined, bucket: string, today: string): boolean => {
  if (last === undefined) return false;
  if (bucket === 'month') return last.slice(0, 7) === today.slice(0, 7);
  return last.slice(0, 10) === today && wallMs(last) > 0;
};

const TrendTable = ({ points }: { points: readonly SeriesPoint[] }) => {
  const bucket = bucketOf(points.map(point => point.date));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="trend-table" tabIndex={0} aria-label="Numbers over time, as a table">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {allShown.map(name => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(point => (
            <tr key={point.date}>
              <th scope="row">{formatBucket(point.date, bucket)}</th>
              {allShown.map(name => (
                <td key={name} class="number">
                  {formatNumber(point[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
