/** A number that ascends at a pace, while somebody looks at the page. */
import { useEffect, useState } from 'preact/hooks';

export const useInterval = (everyMs: number, delayMs = everyMs): number => {
  const [beat, setBeat] = useState(0);
  useEffect(() => {
    let timer = setTimeout(function tick() {
      if (!document.hidden) setBeat(last => last + 1);
      timer = setTimeout(tick, everyMs);
    }, delayMs);
    return () => clearTimeout(timer);
  }, [everyMs, delayMs]);
  return beat;
};
