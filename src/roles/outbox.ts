/** Which messages leave this server, and how. */
import { type Config, mailOf } from '../config.ts';
import { type ChannelParts, channelKind } from '../outbox/channel.ts';
import { mailKind, mailWithoutServer } from '../outbox/mail.ts';
import { type Outbox, type OutboxParts, startOutbox } from '../outbox/sender.ts';
import { outboxStore } from '../store/outbox.ts';

export const outboxOf = (config: Config, world: Omit<OutboxParts, 'kinds'> & ChannelParts): Outbox => {
  const settings = mailOf(config);
  const mail = settings === null ? mailWithoutServer : mailKind(settings, outboxStore(world.db));
  return startOutbox({ ...world, kinds: { mail, channel: channelKind(world) } });
};
