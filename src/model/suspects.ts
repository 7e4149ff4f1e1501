/**
 * Why a visit looks automated by what is kept of it (docs/definitions.md, "Suspect visits"): one
 * row per reason. A visit has the first that holds.
 */

interface ReasonRow {
  /** How people call it. */
  label: string;
  meaning: string;
  /** What somebody who leaves such visits out should know. */
  note: string;
}

/** Pageviews in one visit that nobody looks at one by one. */
export const manyPages = 200;
/** So many pageviews show whether they come at a regular pace. */
export const pacedPages = 10;
/** The longest pause between them exceeds the shortest by at most one of so many parts of it. */
export const paceParts = 10;

export const suspectReasons = {
  hosting: {
    label: 'Hosting network',
    meaning: 'Came from a network that hosts servers',
    note: 'Visits from networks that host servers. People who browse through a VPN are among them',
  },
  'many-pages': {
    label: 'Many pages',
    meaning: `Has at least ${manyPages} pageviews`,
    note: `Visits with at least ${manyPages} pageviews`,
  },
  'regular-pace': {
    label: 'Regular pace',
    meaning: `Has at least ${pacedPages} pageviews, with pauses between them that differ by at most a tenth`,
    note: 'Visits that ask for page after page with equal pauses. A page that reloads itself looks like this',
  },
  'no-interaction': {
    label: 'No interaction',
    meaning: 'Is one pageview, after which nothing came: no event, no time on the page',
    note: 'Visits of one page after which nothing came. Where pages do not report time, that is every bounce without an event',
  },
} as const satisfies Record<string, ReasonRow>;

export type SuspectReason = keyof typeof suspectReasons;
/** In the order in which they are looked for. */
export const suspectReasonNames = Object.keys(suspectReasons) as SuspectReason[];
