/** Messages that tell an event, for the outbox. */
import type { ChannelEvent } from '../../model/alerts/event.ts';
import type { Channel } from '../../store/alerts/channels.ts';
import type { NewMessage } from '../../store/outbox.ts';

/** The message of an event to a channel. */
export const channelMessage = (
  key: string,
  { id, kind, accountId, target }: Channel,
  event: ChannelEvent,
): NewMessage =>
  kind === 'mail'
    ? mailMessage(key, accountId, target, event)
    : { key: `${key}:${id}`, kind: 'channel', accountId, target: String(id), body: event };

/** An event by mail; `accountId` is the team's that sends it. */
export const mailMessage = (key: string, accountId: number, target: string, event: ChannelEvent): NewMessage => {
  const { title, text, url } = event.data;
  const mute = 'muteUrl' in event.data && event.data.muteUrl !== '' ? `Mute: ${event.data.muteUrl}` : '';
  const body = { subject: title, text: [text, url, mute].filter(line => line !== '').join('\n\n') };
  return { key: `${key}:${target}`, kind: 'mail', accountId, target, body };
};
