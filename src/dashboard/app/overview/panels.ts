/** The panels of a site's first page: each of the 21 dimensions has a tab in one of them. */
import type { DimensionName } from '../../../model/dimensions.ts';

export interface PanelRow {
  /** Choice in the address that holds the tab. */
  choice: `_${string}`;
  label: string;
  tabs: readonly DimensionName[];
  /** What a site without any such row is told. */
  empty: string;
}

export const panels = {
  pages: {
    choice: '_pages',
    label: 'Pages',
    tabs: ['path', 'entryPath', 'exitPath', 'title', 'hostname', 'query'],
    empty: 'No page was seen.',
  },
  sources: {
    choice: '_sources',
    label: 'Sources',
    tabs: ['referrer', 'utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'],
    empty: 'No visit came with this.',
  },
  places: {
    choice: '_places',
    label: 'Places',
    tabs: ['country', 'region', 'city', 'language'],
    empty: 'No address could be placed.',
  },
  technology: {
    choice: '_technology',
    label: 'Technology',
    tabs: ['browser', 'os', 'device', 'screen'],
    empty: 'No browser is known.',
  },
  events: { choice: '_events', label: 'Events', tabs: ['event'], empty: 'No custom or outbound event.' },
} as const satisfies Record<string, PanelRow>;
