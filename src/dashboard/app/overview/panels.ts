/** The panels of a site's first page: each dimension has a tab in one of them. */
import type { DimensionName } from '../../../model/dimensions.ts';

export interface PanelRow {
  /** Choice in the address that holds the tab. */
  choice: `_${string}`;
  label: string;
  tabs: readonly DimensionName[];
  /** Shown where there are no rows. */
  empty: string;
}

export const panels = {
  pages: {
    choice: '_pages',
    label: 'Pages',
    tabs: ['path', 'entryPath', 'exitPath', 'title', 'hostname', 'query'],
    empty: 'No pages in this period.',
  },
  sources: {
    choice: '_sources',
    label: 'Sources',
    tabs: ['channel', 'referrer', 'utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent', 'clickId'],
    empty: 'No visits in this period have one.',
  },
  places: {
    choice: '_places',
    label: 'Places',
    tabs: ['country', 'region', 'city', 'language'],
    empty: 'No visits with a known place in this period.',
  },
  technology: {
    choice: '_technology',
    label: 'Technology',
    tabs: ['browser', 'os', 'device', 'screen', 'network', 'networkKind', 'suspect'],
    empty: 'No visits with a known browser in this period.',
  },
  events: {
    choice: '_events',
    label: 'Events',
    tabs: ['event'],
    empty: 'No events in this period.',
  },
} as const satisfies Record<string, PanelRow>;
