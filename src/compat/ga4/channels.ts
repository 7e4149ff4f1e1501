/** Google Analytics' default channel groups as our channels, which follow them. */
import { channelNames } from '../../model/channels.ts';

const others: Readonly<Record<string, string>> = {
  'mobile push notifications': 'Push',
  'organic ai assistants': 'AI assistants',
};

/** A group that has no counterpart, such as Cross-network, keeps its name. */
export const channelNamed = (group: string): string =>
  others[group.toLowerCase()] ?? channelNames.find(name => name.toLowerCase() === group.toLowerCase()) ?? group;
