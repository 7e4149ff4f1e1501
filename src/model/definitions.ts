/**
 * What a site has under a name: goals, segments and funnels (docs/definitions.md). Conditions in
 * them are texts, written as filters are in an address.
 */
export const definitionKinds = ['goal', 'segment', 'funnel'] as const;
export type DefinitionKind = (typeof definitionKinds)[number];

export const definitionPlurals = { goal: 'goals', segment: 'segments', funnel: 'funnels' } as const;

/** A filter or several with `&` between them: all of them hold. */
export interface Segment {
  filters: string;
}

/** What counts as a conversion. */
export interface Goal {
  /** Conditions with `|` between them, of which one must hold; each is filters that all hold. */
  conditions: string;
  /** What each conversion is worth, in minor units of the site's currency; null for nothing. */
  value: number | null;
}

/** What is looked for step by step; its parameters are those of a question about a funnel. */
export interface Funnel {
  /** In the form of a query string. */
  question: string;
}

export interface DefinitionBodies {
  goal: Goal;
  segment: Segment;
  funnel: Funnel;
}

/** Of each kind and site. */
export const definitionsMax = 100;
export const definitionNameCharsMax = 100;
/** Of each text of a definition. */
export const definitionCharsMax = 8000;
