/** Published clients of other products: trackers, whose hits arrive, and those that ask, which find what they look for. */
import type { Program } from '../compat/fixture.ts';
import { daybookClient } from './daybook-client.ts';
import type { Import } from './install.ts';
import {
  matomoTracker,
  plausibleTracker,
  plausibleWebTracker,
  queueTracker,
  umamiNode,
  vueMatomo,
} from './trackers.ts';
import { umamiApiClient } from './umami-api-client.ts';

export interface Client {
  name: string;
  /** Versions by name. */
  packages: Readonly<Record<string, string>>;
  /** Throws where something is not what it should be. */
  run(importPackage: Import, program: Program): Promise<void>;
}

export const clients: readonly Client[] = [
  ...[plausibleTracker, plausibleWebTracker, matomoTracker, queueTracker, vueMatomo, umamiNode],
  ...[umamiApiClient, daybookClient],
];
