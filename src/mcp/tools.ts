/** Every tool, in the order in which they are listed. */
import { questionTools } from './question-tools.ts';
import { siteTools } from './site-tools.ts';
import type { Assistant, Tool } from './tool.ts';

const [listSites, describeSite, ...otherSiteTools] = siteTools;
export const tools: readonly Tool[] = [listSites!, describeSite!, ...questionTools, ...otherSiteTools];

/** Those that somebody may call. */
export const toolsFor = ({ may }: Assistant): Tool[] =>
  tools.filter(({ needs }) => needs === undefined || may.has(needs));

/** A tool as the protocol lists it. */
export const toolJson = ({ name, title, description, takes, gives, writes }: Tool): object => ({
  ...{ name, title, description, inputSchema: takes, outputSchema: gives },
  annotations: {
    ...{ title, readOnlyHint: writes !== true, destructiveHint: false },
    ...{ idempotentHint: writes !== true, openWorldHint: false },
  },
});
