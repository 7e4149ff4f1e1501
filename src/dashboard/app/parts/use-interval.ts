/** A count that goes up at an interval, while the page is visible. */
import { useEffect, useState } from 'preact/hooks';

export const useInterval = (everyMs: number, delayMs = everyMs): number => {
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    let timer = setTimeout(function tick() {
      if (!document.hidden) setTicks(last => last + 1);
      timer = setTimeout(tick, everyMs);
    }, delayMs);
    return () => clearTimeout(timer);
  }, [everyMs, delayMs]);
  return ticks;
};
