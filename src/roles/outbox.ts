/** Which messages leave this server, and how. */
import { type Config, mailOf } from '../config.ts';
import type { OutboxKinds } from '../outbox/kinds.ts';
import { mailKind } from '../outbox/mail.ts';
import { type Outbox, type OutboxParts, startOutbox } from '../outbox/sender.ts';

/** By the name that messages have for it; what is missing waits. */
const kindsOf = (config: Config): OutboxKinds => {
  const mail = mailOf(config);
  return { ...(mail && { mail: mailKind(mail) }) };
};

export const outboxOf = (config: Config, world: Omit<OutboxParts, 'kinds'>): Outbox =>
  startOutbox({ ...world, kinds: kindsOf(config) });
