/** Messages to channels of teams, as a kind of message. Their target is the id of the channel. */
import type { Outbound } from '../http/outbound.ts';
import { reasonOf } from '../log.ts';
import type { ChannelEvent } from '../model/alerts/event.ts';
import { dayMs, hourMs, minuteMs } from '../model/time.ts';
import { channels as channelStore } from '../store/alerts/channels.ts';
import type { Database } from '../store/database.ts';
import { channelRequests } from './channel-requests.ts';
import { idOfKey, MessageRefused, type OutboxKind } from './kinds.ts';

const retryMs = [5000, minuteMs, 5 * minuteMs, 30 * minuteMs, ...[2, 6, 12, 24].map(hours => hours * hourMs)];
/** A channel that takes nothing for so long is switched off, and what waits is given up. */
const keepMs = 5 * dayMs;
const waitMs = 10_000;
/** Of an answer, which nobody needs. */
const answerBytesMax = 64 * 1024;

export interface ChannelParts {
  db: Database;
  outbound: Outbound;
  now: () => number;
}

/** The id that receivers know a message by: the same at each try. */
export const messageIdOf = (key: string): string => `msg_${idOfKey(key)}`;

export const channelKind = ({ db, outbound, now }: ChannelParts): OutboxKind => {
  const channels = channelStore(db);
  return {
    ...{ retryMs, keepMs },
    async deliver({ key, target, body }) {
      const channel = channels.byId(Number(target));
      if (channel === undefined || channel.kind === 'mail') throw new MessageRefused('The channel was removed.');
      if (channel.disabledAt !== null) throw new MessageRefused('The channel is switched off.');
      const sending = { id: messageIdOf(key), event: body as ChannelEvent, now: now() };
      const { url, headers, body: sent } = channelRequests[channel.kind](channel, sending);
      const fail = (reason: string): Error => {
        const since = channels.failed(channel.id, reason, now());
        if (now() - since >= keepMs) channels.disable(channel.id, now());
        return new Error(reason);
      };
      const asked = { method: 'POST', headers, body: sent, waitMs, bytesMax: answerBytesMax } as const;
      const { status } = await outbound(url, asked).catch(error => {
        throw fail(reasonOf(error));
      });
      if (status === 410) {
        channels.failed(channel.id, 'answers 410', now());
        channels.disable(channel.id, now());
        throw new MessageRefused('It answers 410: it is gone, so the channel was switched off.');
      }
      if (status < 200 || status > 299) throw fail(`answers ${status}`);
      channels.arrived(channel.id, now());
    },
  };
};
