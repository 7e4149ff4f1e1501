/** When an alert would have fired, before it is saved. */
import { useEffect, useState } from 'preact/hooks';
import type { TableMetricName } from '../../../model/table-metrics.ts';
import { isVital, type VitalName } from '../../../model/vitals.ts';
import type { SaveAlert, SiteView, TriedAlert } from '../../wire.ts';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';
import { formatDay, formatWallTime } from '../format.ts';
import { metricText } from '../metric-text.ts';
import { useSettled } from '../parts/use-settled.ts';
import { t } from '../texts/text.ts';
import { formatVital } from '../vitals/rating.ts';

interface AlertReplayProps {
  site: SiteView;
  /** Null while something is missing. */
  rule: Pick<SaveAlert, 'kind' | 'params' | 'filters'> | null;
  metric: TableMetricName | VitalName;
}

const shownMax = 5;

export const AlertReplay = ({ site, rule, metric }: AlertReplayProps) => {
  const { client } = useApp();
  const asked = useSettled(rule === null ? '' : JSON.stringify(rule));
  const [tried, setTried] = useState<{ asked: string; answer: TriedAlert | string } | null>(null);
  useEffect(() => {
    if (asked === '') return undefined;
    let isGone = false;
    const settle = (answer: TriedAlert | string): void => {
      if (!isGone) setTried({ asked, answer });
    };
    client.post<TriedAlert>(`/app/sites/${site.id}/alerts/try`, JSON.parse(asked)).then(settle, (error: unknown) => {
      if (!(error instanceof RequestFailed)) throw error;
      settle(error.message);
    });
    return () => {
      isGone = true;
    };
  }, [client, site.id, asked]);
  const answer = tried?.asked === asked && rule !== null ? tried.answer : null;
  return (
    <div role="status">
      {answer === null ? (
        <p class="hint">{asked === '' ? '' : t('alerts.trying')}</p>
      ) : typeof answer === 'string' ? (
        <p class="hint">{answer}</p>
      ) : (
        <Firings {...{ site, metric, tried: answer }} />
      )}
    </div>
  );
};

const Firings = ({ site, metric, tried }: Pick<AlertReplayProps, 'site' | 'metric'> & { tried: TriedAlert }) => {
  const shown = (value: number): string =>
    isVital(metric) ? formatVital(metric, value) : metricText(metric, value, site.currency);
  const { count, data } = tried;
  if (count === 0) return <p class="hint">{t('alerts.tried.never')}</p>;
  return (
    <>
      <p class="hint">{t('alerts.tried', { count })}</p>
      <ul class="hint">
        {data.slice(0, shownMax).map(({ from, value, expected, sources }) => {
          const day = formatDay(from.slice(0, 10));
          if (sources.length > 0)
            return <li key={from}>{t('alerts.tried.sources', { day, sources: sources.join(', ') })}</li>;
          const when = t('alerts.tried.when', { day, time: formatWallTime(from) });
          return (
            <li key={from}>
              {expected === null
                ? t('alerts.tried.number', { when, value: shown(value) })
                : t('alerts.tried.usual', { when, value: shown(value), expected: shown(Math.round(expected)) })}
            </li>
          );
        })}
      </ul>
    </>
  );
};
