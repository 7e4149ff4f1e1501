/** The panels of a site's first page: each dimension has a tab in one of them. */
import type { DimensionName } from '../../../model/dimensions.ts';

export interface PanelRow {
  /** Part of the keys of its texts. */
  name: 'pages' | 'sources' | 'places' | 'technology' | 'events';
  /** Choice in the address that holds the tab. */
  choice: `_${string}`;
  tabs: readonly DimensionName[];
}

export const panels = {
  pages: {
    name: 'pages',
    choice: '_pages',
    tabs: ['path', 'entryPath', 'exitPath', 'title', 'hostname', 'query'],
  },
  sources: {
    name: 'sources',
    choice: '_sources',
    tabs: ['channel', 'referrer', 'utmCampaign', 'utmSource', 'utmMedium', 'utmTerm', 'utmContent', 'clickId'],
  },
  places: {
    name: 'places',
    choice: '_places',
    tabs: ['country', 'region', 'city', 'language'],
  },
  technology: {
    name: 'technology',
    choice: '_technology',
    tabs: ['browser', 'os', 'device', 'screen', 'network', 'networkKind', 'suspect'],
  },
  events: {
    name: 'events',
    choice: '_events',
    tabs: ['event'],
  },
} as const satisfies Record<string, PanelRow>;
