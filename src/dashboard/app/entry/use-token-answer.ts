/** What the server says of a token that stands behind `#`, where no log of requests has it. */
import { useEffect, useState } from 'preact/hooks';
import type { LinkToken } from '../../wire.ts';
import { useAddress } from '../address.tsx';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';

interface TokenAnswer<T> {
  token: string;
  /** Null until it has come. */
  answer: T | null;
  /** What a later request said. */
  setAnswer: (answer: T) => void;
  /** Whether there is no token, or it is good for nothing. */
  isDead: boolean;
  /** Why, as the server says it. */
  reason: string | null;
}

export const useTokenAnswer = <T>(path: string): TokenAnswer<T> => {
  const { client } = useApp();
  const { hash } = useAddress();
  const token = hash.slice(1);
  const [answer, setAnswer] = useState<T | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  useEffect(() => {
    if (token === '') return;
    client.post<T>(path, { token } satisfies LinkToken).then(setAnswer, (failure: unknown) => {
      if (failure instanceof RequestFailed) setReason(failure.message);
    });
  }, [client, path, token]);
  return { token, answer, setAnswer, isDead: token === '' || reason !== null, reason };
};
