/**
 * Kinds of texts that anybody can make up. Each has an allowance of its own of new ones a day
 * (docs/collecting.md, "New texts"), so that a flood of one kind takes nothing from the others.
 */

interface TextKindRow {
  /** What the texts are, as in "new … are shown as (other)". */
  label: string;
  /** Its allowance as a part of NEW_TEXTS_MAX. */
  part: number;
}

const row = (label: string, part: number): TextKindRow => ({ label, part });

export const textKinds = {
  page: row('pages', 1),
  query: row('query strings', 1),
  title: row('titles', 1),
  event: row('events', 0.05),
  campaign: row('referrers and campaigns', 0.25),
  'property-key': row('property keys', 0.02),
  'property-value': row('property values', 1),
  trait: row('traits of visitors', 1),
  other: row('crawlers, languages and browsers', 0.25),
} as const satisfies Record<string, TextKindRow>;

export type TextKind = keyof typeof textKinds;
export const textKindNames = Object.keys(textKinds) as TextKind[];

/**
 * Whose part was used up when a new text was not kept: the site's for the day, or one sender's of
 * it.
 */
export const textBounds = ['site', 'sender'] as const;
export type TextBound = (typeof textBounds)[number];

/** A text takes one from its allowance for each so many bytes of it that have begun. */
export const textUnitBytes = 100;
/** One sender can take this part of a site's allowance. */
export const senderPart = 1 / 20;
