/** The end of a list that goes on: it loads more when it comes near, or when it is pressed. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Loading begins before the end comes into view. */
const aheadPx = 600;

export const LoadMore = ({ onReach, children }: { onReach: () => void; children: ComponentChildren }) => {
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver(entries => entries.some(entry => entry.isIntersecting) && onReach(), {
      rootMargin: `${aheadPx}px`,
    });
    watch.observe(mark.current!);
    return () => watch.disconnect();
  }, [onReach]);
  return (
    <div ref={mark} class="list-end">
      <button type="button" class="button" onClick={onReach}>
        {children}
      </button>
    </div>
  );
};
