/**
 * The headline figures: each with its change since the previous period, and a tip that says what it
 * counts.
 */
import { type MetricName, metricNames, metrics } from '../../../model/metrics.ts';
import type { Stats } from '../answers.ts';
import { formatMoney, formatNumber, formatPercent, formatSeconds } from '../format.ts';
import { metricLabel } from '../names.ts';
import { Change } from '../parts/change.tsx';
import { Answered } from '../parts/states.tsx';
import { Explain } from '../parts/tips.tsx';
import type { Answer } from '../use-answer.ts';

/** How a metric is formatted; as a plain number by default. */
const written: Partial<Record<MetricName, (value: number, currency: string) => string>> = {
  bounceRate: formatPercent,
  avgVisitSeconds: formatSeconds,
  revenue: formatMoney,
};
const formatMetric = (name: MetricName, value: number, currency: string): string =>
  (written[name] ?? formatNumber)(value, currency);

/** Metrics where less is better. */
const inverted: readonly MetricName[] = ['bounces', 'bounceRate'];

/** The bounce rate stands for the bounces; revenue is shown only if there is any. */
const isShown = (name: MetricName, stats: Stats): boolean => {
  if (name === 'bounces') return false;
  if (name !== 'revenue') return true;
  return stats.revenue !== 0 || (stats.previous?.revenue ?? 0) !== 0 || stats.otherRevenue !== undefined;
};

export const Headline = ({ answer }: { answer: Answer<Stats> }) => (
  <section class="headline" aria-label="Headline figures">
    <Answered answer={answer} waiting={<HeadlineSkeleton />}>
      {stats => (
        <dl class="figures">
          {metricNames
            .filter(name => isShown(name, stats))
            .map(name => (
              <Figure key={name} name={name} stats={stats} />
            ))}
        </dl>
      )}
    </Answered>
  </section>
);

const Figure = ({ name, stats }: { name: MetricName; stats: Stats }) => {
  const { currency, previous, delta } = stats;
  const before =
    previous === null ? undefined : `${formatMetric(name, previous[name], currency)} in the previous period`;
  return (
    <div class="figure" data-metric={name}>
      <dt>
        <Explain tip={metrics[name].meaning}>{metricLabel(name)}</Explain>
      </dt>
      <dd>
        <span class="figure-value">{formatMetric(name, stats[name], currency)}</span>
        <Change
          delta={delta?.[name]}
          inverted={inverted.includes(name)}
          isNeutral={name === 'events'}
          {...(before === undefined ? {} : { tip: before })}
        />
        {name === 'revenue' && <OtherRevenue amounts={stats.otherRevenue ?? {}} />}
      </dd>
    </div>
  );
};

/** Revenue that no exchange rate converts to the site's currency: never added, never hidden. */
const OtherRevenue = ({ amounts }: { amounts: Record<string, number> }) => (
  <>
    {Object.entries(amounts).map(([currency, minor]) => (
      <Explain key={currency} tip={`No exchange rate is set for ${currency}, so it is shown separately`}>
        <span class="other-revenue">+ {formatMoney(minor, currency)}</span>
      </Explain>
    ))}
  </>
);

const HeadlineSkeleton = () => (
  <div class="figures" role="status" aria-label="Loading">
    {metricNames.slice(0, 7).map(name => (
      <div key={name} class="figure">
        <div class="skeleton" style={{ width: '60%' }} />
        <div class="skeleton tall" style={{ width: '80%' }} />
      </div>
    ))}
  </div>
);
