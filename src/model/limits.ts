/**
 * Bounds that every caller meets, as docs/collecting.md and docs/api.md state them. The operator's
 * own are settings: see config.ts.
 */

/** Sites that a rollup reads as one. */
export const rollupSitesMax = 50;
/** Of a rollup, in characters. */
export const rollupNameCharsMax = 60;

/** Sites of an account, rollups among them. */
export const sitesMax = 1000;
/** API keys of an account. */
export const keysMax = 100;
/** Invitations to one account that are open at a time. */
export const openInvitationsMax = 100;
/**
 * Settings of a site. Each hit is compared with what it excludes; its aliases are names that no
 * other site may have; and the hosts that may embed its public page go out with each such page.
 */
export const aliasesMax = 100;
export const excludedIpsMax = 1000;
export const excludedPathsMax = 100;
export const globCharsMax = 200;
export const globStarsMax = 10;
export const embedHostsMax = 20;
/** Links to public pages of a site. */
export const sharesMax = 50;
export const allowedHostsMax = 100;
export const excludedCountriesMax = 250;
/** Of days that are kept, a hundred years. */
export const keepDaysMax = 36_500;
/**
 * Aliases, allowed hosts and exclusions of all sites of an account: they go out whenever somebody
 * looks at it.
 */
export const listedMax = 10_000;

/** Request bodies of the collector, in bytes received. */
export const bodyBytesMax = 32 * 1024;
/** Only this many leading characters of `u` are parsed. */
export const urlCharsMax = 2000;
export const eventNameCharsMax = 500;
export const titleCharsMax = 500;
export const referrerCharsMax = 2000;
export const languageCharsMax = 35;
export const propertyKeyCharsMax = 200;
export const propertyTextCharsMax = 500;
export const propertiesMax = 50;
/** So many properties cost as much as a hit in budgets (docs/collecting.md, "Budgets"). */
export const propertiesPerHit = 5;
/**
 * Hits that one visitor may send to a site at once, and in a day. No visitor is divided between
 * parts of a day, so this bounds what a part takes in memory.
 */
export const visitorHitsMax = 100_000;
/** All traits of an identify as JSON in UTF-8. */
export const traitBytesMax = 4096;
/**
 * A visit ends when its visitor is silent for longer than this; also the bound of a flushed
 * duration.
 */
export const visitIdleMs = 30 * 60_000;
export const durationMsMax = 30 * 60_000;
/**
 * A web vital above these is a broken clock, not a slow page (docs/collecting.md, "Web vitals").
 */
export const vitalMsMax = 60_000;
export const clsMax = 100;
/** Reports in one POST /crawl. */
export const crawlReportsMax = 200;

export const breakdownLimitMax = 500;
export const breakdownLimitDefault = 20;
/** Rows of a table in one page, and in its CSV. */
export const tablePageMax = 500;
export const tablePageDefault = 20;
export const exportTableRowsMax = 5000;
/** Values whose changes an explanation looks at in each window, and of those it lists. */
export const changedRowsMax = 1000;
export const changesDefault = 5;
export const changesMax = 50;
/** Points of a series: the hours of a year. */
export const bucketsMax = 9000;
export const eventsMax = 100;
export const propertyKeysMax = 50;
export const propertyValuesMax = 25;
export const histogramBins = 12;
/** Questions in one request for several answers: more than a page has. */
export const asksPerRequestMax = 20;
export const visitsPageDefault = 50;
export const visitsPageMax = 500;
export const exportRowsMax = 500;
export const exportVisitsMax = 5000;
export const realtimeRowsMax = 10;
/** Hits of the live list. */
export const latestHitsDefault = 20;
export const latestHitsMax = 100;

/** Values that a funnel is also worked out for. */
export const funnelGroupsMax = 8;
export const funnelStepsMax = 10;
/** Levels of a journey: one for what comes next, and one for each step that is opened. */
export const journeyLevelsMax = 5;
export const journeyRowsDefault = 10;
export const journeyRowsMax = 100;
export const journeyFolderMax = 5;

/** A new password of the dashboard: the browser and the server both know it. */
export const passwordCharsMin = 8;

/** Characters of what somebody says of a rule that leaves hits out. */
export const reasonCharsMax = 200;
