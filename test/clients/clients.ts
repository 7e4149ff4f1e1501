/** Published clients of other products, which find in Daybook what they look for. */
import type { Program } from '../compat/fixture.ts';
import type { Import } from './install.ts';
import { umamiApiClient } from './umami-api-client.ts';

export interface Client {
  name: string;
  /** Versions by name. */
  packages: Readonly<Record<string, string>>;
  /** Throws where an answer is not what it should be. */
  run(importPackage: Import, program: Program): Promise<void>;
}

export const clients: readonly Client[] = [umamiApiClient];
