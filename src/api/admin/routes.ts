/**
 * What a key with the scope `manage` changes: sites, definitions, members and keys, and what an
 * operator's key makes besides. PUT says what is to be under a name, so it can be sent again.
 */
import { operation } from '../operation.ts';
import type { DescribedRoute } from '../route.ts';
import { definitionOperations } from './definitions.ts';
import { keyOperations } from './keys.ts';
import { memberOperations } from './members.ts';
import { siteOperations } from './sites.ts';
import { teamOperations } from './teams.ts';

/** Paths by domain come first: an id is any text. */
export const adminRoutes: readonly DescribedRoute[] = [
  ...siteOperations,
  ...definitionOperations,
  ...teamOperations,
  ...memberOperations,
  ...keyOperations,
].map(row => operation({ tag: 'sites', ...row }));
