/** What stands where numbers will be, would be, or could not be. */
import type { ComponentChildren } from 'preact';
import { useAddress } from '../address.tsx';
import type { RequestFailed } from '../client.ts';
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

/** Another attempt would fail as this one did. */
const BadAddress = ({ error }: { error: RequestFailed }) => {
  const { path } = useAddress();
  return (
    <div class="failed" role="alert">
      <p>The address of this page holds something that has no answer: {error.message}.</p>
      <a class="button" href={path}>
        Without it
      </a>
    </div>
  );
};

interface AnsweredProps<T> {
  answer: Answer<T>;
  /** What to show until there is anything. */
  waiting?: ComponentChildren;
  children: (data: T) => ComponentChildren;
}

/** An answer in whichever state it is. What is about to be replaced is dimmed rather than taken away. */
export const Answered = <T,>({ answer, waiting = <SkeletonRows />, children }: AnsweredProps<T>) => {
  const { data, error, pending, retry } = answer;
  if (error !== undefined) return <Failed error={error} retry={retry} />;
  if (data === undefined) return <>{waiting}</>;
  return (
    <div class={pending ? 'answered pending' : 'answered'} aria-busy={pending}>
      {children(data)}
    </div>
  );
};
