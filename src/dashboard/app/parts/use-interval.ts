/**
 * A count that goes up at an interval, while the page is visible. While the server cannot be
 * reached, the pauses grow.
 */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { refreshPauseMs } from '../freshness.ts';

export const useInterval = (everyMs: number, delayMs = everyMs): number => {
  const { freshness } = useApp();
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    let failures = 0;
    let timer = setTimeout(function tick() {
      failures = freshness.oldest() === null ? 0 : failures + 1;
      if (!document.hidden) setTicks(last => last + 1);
      timer = setTimeout(tick, refreshPauseMs(everyMs, failures));
    }, delayMs);
    return () => clearTimeout(timer);
  }, [everyMs, delayMs, freshness]);
  return ticks;
};
