/** What a page shows in place of numbers: skeletons, empty states, errors. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import type { RequestFailed } from '../fetch-json.ts';
import type { Answer } from '../use-answer.ts';

/** Grey lines in the place of rows, so that nothing jumps when these arrive. */
export const SkeletonRows = ({ count = 10 }: { count?: number }) => (
  <div class="skeleton-rows" role="status" aria-label="Loading">
    {Array.from({ length: count }, (_, i) => (
      <div key={i} class="skeleton" style={{ width: `${92 - ((i * 37) % 50)}%` }} />
    ))}
  </div>
);

export const Empty = ({ children }: { children: ComponentChildren }) => <div class="empty">{children}</div>;

export const Failed = ({ error, retry }: { error: RequestFailed; retry: () => void }) =>
  error.status === 400 ? (
    <BadAddress error={error} />
  ) : (
    <div class="failed" role="alert">
      <p>{error.message}</p>
      <button type="button" class="button" onClick={retry}>
        Try again
      </button>
    </div>
  );

/** Another attempt would fail in the same way. */
const BadAddress = ({ error }: { error: RequestFailed }) => {
  const { path } = useAddress();
  return (
    <div class="failed" role="alert">
      <p>The address of this page is not valid: {error.message}.</p>
      <a class="button" href={path}>
        Reset
      </a>
    </div>
  );
};

interface AnsweredProps<T> {
  answer: Answer<T>;
  /** Shown until the first answer. */
  waiting?: ComponentChildren;
  children: (data: T) => ComponentChildren;
}

/** An answer in any state. */
export const Answered = <T,>({ answer, waiting = <SkeletonRows />, children }: AnsweredProps<T>) => {
  const { data, error, pending, retry } = answer;
  if (error !== undefined) return <Failed error={error} retry={retry} />;
  if (data === undefined) return <>{waiting}</>;
  return <Standing isPending={pending}>{children(data)}</Standing>;
};

/** What takes no longer than this takes its place without a flicker. */
const lateMs = 300;

/** What is about to be replaced, `isPending`, is dimmed after a while rather than taken away. */
export const Standing = ({ isPending, children }: { isPending: boolean; children: ComponentChildren }) => {
  const [isLate, setLate] = useState(false);
  // By a timer and not by a transition, which would have the browser paint each of these by itself, however soon its answer comes.
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(() => setLate(true), lateMs);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isPending]);
  return (
    <div class={isPending && isLate ? 'answered late' : 'answered'} aria-busy={isPending}>
      {children}
    </div>
  );
};
