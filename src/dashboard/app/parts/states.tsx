/** What a page shows in place of numbers: skeletons, empty states, errors. */
import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { useAddress } from '../address.tsx';
import { SiteContext, useApp } from '../app-context.ts';
import type { RequestFailed } from '../fetch-json.ts';
import { noValue } from '../metric-text.ts';
import { t } from '../texts/text.ts';
import type { AnswerState } from '../use-answer.ts';
import { Drawing, type DrawingName } from './drawing.tsx';

/** Grey lines in place of rows, so that nothing jumps when the rows arrive. */
export const SkeletonRows = ({ count = 10 }: { count?: number }) => (
  <div class="skeleton-rows" role="status" aria-label={t('common.loading')}>
    {Array.from({ length: count }, (_, i) => (
      <div key={i} class="skeleton" style={{ width: `${92 - ((i * 37) % 50)}%` }} />
    ))}
  </div>
);

/** Says that there is nothing, and what to do about it. */
export const Empty = ({ drawing, children }: { drawing?: DrawingName; children: ComponentChildren }) => (
  <div class="empty">
    {drawing !== undefined && <Drawing name={drawing} />}
    {children}
  </div>
);

export const Failed = ({ error, retry }: { error: RequestFailed; retry: () => void }) => {
  const isOfSite = useContext(SiteContext) !== null;
  if (error.status === 400) return <BadAddress error={error} />;
  if (error.status === 0 && isOfSite) return <Unreached />;
  return (
    <div class="failed" role="alert">
      <p>{error.message}</p>
      <button type="button" class="button" onClick={retry}>
        {t('common.tryAgain')}
      </button>
    </div>
  );
};

/** The banner of the page says why, once for all that is missing. */
const Unreached = () => {
  const { freshness } = useApp();
  useEffect(() => freshness.report({ at: null, status: 0 }), [freshness]);
  return (
    <div class="failed soft">
      <p>{noValue}</p>
    </div>
  );
};

/** By the API's own words. */
const linkErrors: Readonly<Record<string, 'link.badDate' | 'link.badRange'>> = {
  'bad date': 'link.badDate',
  'unknown range': 'link.badRange',
};

/** Another attempt would fail in the same way. */
const BadAddress = ({ error }: { error: RequestFailed }) => {
  const { path } = useAddress();
  const known = linkErrors[error.message];
  return (
    <div class="failed" role="alert">
      <p>{known === undefined ? t('link.invalid', { reason: error.message }) : t(known)}</p>
      <a class="button" href={path}>
        {t('common.reset')}
      </a>
    </div>
  );
};

interface AnsweredProps<T> {
  answer: AnswerState<T>;
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

/** An answer within this time replaces the old one without a flicker. */
const lateMs = 300;

/**
 * Content that is about to be replaced (`isPending`) is dimmed after a while instead of removed.
 */
export const Standing = ({ isPending, children }: { isPending: boolean; children: ComponentChildren }) => {
  const [isLate, setLate] = useState(false);
  // A timer, because with a transition the browser would paint each of these separately, however
  // soon its answer comes.
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
