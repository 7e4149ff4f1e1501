/**
 * Why a visit looks automated by what is kept of it (docs/definitions.md, "Suspect visits"): one row
 * per reason. A visit has the first that holds.
 */

interface ReasonRow {
  /** How people call it. */
  label: string;
  meaning: string;
}

/** Pageviews in one visit that nobody looks at one by one. */
export const manyPages = 200;
/** So many pageviews show whether they come at a regular pace. */
export const pacedPages = 10;
/** The longest pause between them is longer than the shortest by at most one of so many parts of it. */
export const paceParts = 10;

export const suspectReasons = {
  hosting: { label: 'Hosting network', meaning: 'Came from a network that hosts servers' },
  'many-pages': { label: 'Many pages', meaning: `Has at least ${manyPages} pageviews` },
  'regular-pace': {
    label: 'Regular pace',
    meaning: `Has at least ${pacedPages} pageviews, with pauses between them that differ by at most a tenth`,
  },
  'no-interaction': {
    label: 'No interaction',
    meaning: 'Is one pageview, after which nothing came: no event, no time on the page',
  },
} as const satisfies Record<string, ReasonRow>;

export type SuspectReason = keyof typeof suspectReasons;
/** In the order in which they are looked for. */
export const suspectReasonNames = Object.keys(suspectReasons) as SuspectReason[];
