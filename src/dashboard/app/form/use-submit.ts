/** Sending a form: one request at a time, and what went wrong beside the field it is about. */
import { useState } from 'preact/hooks';
import { RequestFailed } from '../fetch-json.ts';

export interface Submit {
  isPending: boolean;
  /** About the whole form. */
  error: string | null;
  /** About one field. */
  errorOf(field: string): string | null;
  /** For `onSubmit`. */
  submit(event: Event): Promise<void>;
}

/** `send` does the work; what it throws as RequestFailed is shown. */
export const useSubmit = (send: () => Promise<void>): Submit => {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<RequestFailed | null>(null);
  return {
    isPending,
    error: failure === null || failure.field !== undefined ? null : messageOf(failure),
    errorOf: field => (failure?.field === field ? failure.message : null),
    async submit(event) {
      event.preventDefault();
      if (isPending) return;
      setPending(true);
      setFailure(null);
      try {
        await send();
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        setFailure(error);
      } finally {
        setPending(false);
      }
    },
  };
};

const messageOf = ({ message, retryAfterSeconds }: RequestFailed): string => {
  if (retryAfterSeconds === undefined) return message;
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return `${message} Try again in ${retryAfterSeconds < 90 ? `${retryAfterSeconds} seconds` : `${minutes} minutes`}.`;
};
