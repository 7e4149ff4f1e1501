/** When the numbers of a page refresh, and the banner that says that they could not. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { formatTime } from '../format.ts';
import { refreshPauseMs } from '../freshness.ts';
import { rich, t } from '../texts/text.ts';

/** How often the numbers of a visible page refresh. */
const refreshEveryMs = 60_000;

/**
 * Goes up every minute while the page is visible, when somebody comes back after longer, and on
 * request. While the server cannot be reached, it goes up after pauses that grow, and once the
 * browser is back in its network.
 */
export const useRefreshTurn = (): [turn: number, refresh: () => void] => {
  const [turn, setTurn] = useState(0);
  const { now, freshness } = useApp();
  const refresh = useCallback(() => setTurn(before => before + 1), []);

  useEffect(() => {
    let last = now();
    const look = (): void => {
      if (document.hidden || freshness.oldest() !== null || now() - last < refreshEveryMs) return;
      last = now();
      refresh();
    };
    const timer = setInterval(look, refreshEveryMs / 4);
    document.addEventListener('visibilitychange', look);
    addEventListener('online', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      removeEventListener('online', refresh);
    };
  }, [now, freshness, refresh]);

  useEffect(() => {
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      if (freshness.oldest() === null) failures = 0;
      else timer ??= setTimeout(retry, refreshPauseMs(refreshEveryMs, ++failures));
    };
    const retry = (): void => {
      timer = undefined;
      if (freshness.oldest() === null) return;
      if (!document.hidden) refresh();
      look();
    };
    const stop = freshness.listen(look);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [freshness, refresh]);

  return [turn, refresh];
};

/** Stands above the end of the page, so that nothing moves when it comes and goes. */
export const StaleBanner = ({ refresh }: { refresh: () => void }) => {
  const { freshness } = useApp();
  const [stale, setStale] = useState(freshness.oldest);
  useEffect(() => {
    setStale(freshness.oldest());
    return freshness.listen(() => setStale(freshness.oldest()));
  }, [freshness]);
  return (
    <div class="stale" role="status">
      {stale !== null && (
        <p>
          {stale.at === null ? (
            <strong>{t('common.unreachable')}</strong>
          ) : (
            rich(stale.status === 0 ? 'shell.stale.unreachable' : 'shell.stale.failing', {
              strong: inner => <strong>{inner}</strong>,
              time: formatTime(stale.at),
            })
          )}{' '}
          <button type="button" class="button" onClick={refresh}>
            {t('common.tryAgain')}
          </button>
        </p>
      )}
    </div>
  );
};
