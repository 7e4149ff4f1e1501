/**
 * How messages of the outbox leave.
 *
 * **To add a kind**, such as webhooks: write a file beside mail.ts with a function that makes an
 * `OutboxKind`, and give it a name in src/roles/outbox.ts. Whoever has something to say writes a
 * message of that name with `outboxStore(db).add(…)` of src/store/outbox.ts, in the transaction
 * that makes it due, with the JSON that `deliver` takes as its `body`; then `outbox.wake()` has it
 * sent at once instead of within a second. The rest is the sender's (sender.ts): four at a time of
 * each kind, tries, holding, giving up, counting (/metrics has `daybook_NAME_…`).
 */
import { createHash } from 'node:crypto';
import type { OutboxMessage } from '../store/outbox.ts';

export interface OutboxKind {
  /** Milliseconds to wait after the first try, the second and so on; the last repeats. */
  retryMs: readonly number[];
  /** One that is older is given up, UTC milliseconds after it was written. */
  keepMs: number;
  /** So many leave in an hour; missing for any number. */
  perHour?: number;
  /**
   * Sends one message. It may come again with the same key when the process ended in between: the
   * receiver should see that it is the same. Rejects with MessageRefused where no other try will
   * help, with KindHeld where no message of this kind can leave now, and with any other error
   * where it is to be tried again. When `signal` aborts, the server stops: then it rejects soon,
   * and the message is sent at the next start.
   */
  deliver(message: OutboxMessage, signal: AbortSignal): Promise<void>;
}

/** Names a message to its receivers, the same at each try: 32 hexadecimal digits of its key. */
export const idOfKey = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 32);

/** By name, as `kind` of a message says it. */
export type OutboxKinds = Readonly<Record<string, OutboxKind>>;

/** The receiver will never take this message; the text is one clear sentence. */
export class MessageRefused extends Error {}

/** Nothing of this kind can leave now, such as when a login fails. */
export class KindHeld extends Error {}
