/** Follows long work of the server on the hits of a site. */
import { useContext, useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { type AnswerState, RefreshNowContext } from '../use-answer.ts';

const pollMs = 500;

/** Asks again while work is under way, and refreshes all numbers when it is done. */
export const useProgress = ({ data, retry }: AnswerState<{ running: object | null }>): void => {
  const { client } = useApp();
  const refresh = useContext(RefreshNowContext);
  const [wasRunning, setRunning] = useState(false);
  const running = data?.running ?? null;
  useEffect(() => {
    if (running !== null) {
      setRunning(true);
      const timer = setTimeout(retry, pollMs);
      return () => clearTimeout(timer);
    }
    if (wasRunning) {
      setRunning(false);
      client.forget();
      refresh();
    }
    return undefined;
  }, [data]);
};
