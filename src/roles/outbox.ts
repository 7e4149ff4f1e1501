/** Which messages leave this server, and how. */
import { type Config, mailOf } from '../config.ts';
import { type ChannelParts, channelKind } from '../outbox/channel.ts';
import type { OutboxKinds } from '../outbox/kinds.ts';
import { mailKind, mailWithoutServer } from '../outbox/mail.ts';
import { type Outbox, type OutboxParts, startOutbox } from '../outbox/sender.ts';
import { outboxStore } from '../store/outbox.ts';

/** By the name that messages have for it. */
const kindsOf = (config: Config, world: ChannelParts): OutboxKinds => {
  const mail = mailOf(config);
  return {
    mail: mail === null ? mailWithoutServer : mailKind(mail, outboxStore(world.db)),
    channel: channelKind(world),
  };
};

export const outboxOf = (config: Config, world: Omit<OutboxParts, 'kinds'> & ChannelParts): Outbox =>
  startOutbox({ ...world, kinds: kindsOf(config, world) });
