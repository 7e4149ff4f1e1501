/** Parameters of addresses that tell how somebody came, and not what they look at. */

/**
 * Parameters that an ad's click adds to the address of the landing page. Only which one it was is
 * kept: its value would tell one click from all others.
 */
export const clickIds = [
  ...(['gclid', 'gbraid', 'wbraid', 'dclid', 'msclkid', 'fbclid', 'ttclid', 'twclid', 'li_fat_id', 'yclid'] as const),
  ...(['epik', 'rdt_cid', 'ScCid'] as const),
] as const;
export type ClickId = (typeof clickIds)[number];

/** Parameters that name the source where utm_source is missing. The first present one wins. */
export const sourceFallbacks = ['ref', 'source', 'via'];

/**
 * Removed from the query, like every utm_ parameter and the source's fallbacks: they tell how
 * somebody came, not what they look at.
 */
const trackingParameters = new Set([
  ...sourceFallbacks,
  ...clickIds,
  ...'gad_source gad_campaignid mc_cid mc_eid igshid srsltid _ga _gl _hsenc _hsmi mkt_tok'.split(' '),
]);

/** Whether a parameter of an address tells how somebody came. */
export const isTracking = (name: string): boolean => name.startsWith('utm_') || trackingParameters.has(name);
