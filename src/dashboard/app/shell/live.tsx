/** How many people are on the site now, beside its name on every page. */
import { useContext } from 'preact/hooks';
import { realtimeFigures } from '../../../model/figures.ts';
import type { Realtime } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { formatNumber } from '../format.ts';
import { useInterval } from '../parts/use-interval.ts';
import { pagePath } from '../routes.ts';
import { RefreshContext, useAnswer } from '../use-answer.ts';

/** The numbers of the page come first: nothing may wait for this one. */
const delayMs = 1500;
const everyMs = 30_000;

export const Live = () => {
  const beat = useInterval(everyMs, delayMs);
  const turn = useContext(RefreshContext);
  return (
    <RefreshContext.Provider value={turn + beat}>
      <LiveLink isAsked={beat > 0} />
    </RefreshContext.Provider>
  );
};

const LiveLink = ({ isAsked }: { isAsked: boolean }) => {
  const { site, base } = useSite();
  const { data } = useAnswer<Realtime>(isAsked ? `/api/v1/sites/${site.id}/realtime` : null, site.id);
  return (
    <a
      class={data === undefined || data.visitors === 0 ? 'live quiet' : 'live'}
      href={pagePath(base, 'realtime')}
      data-tip={realtimeFigures.visitors.meaning}
    >
      {data === undefined ? '' : `${formatNumber(data.visitors)} now`}
    </a>
  );
};
